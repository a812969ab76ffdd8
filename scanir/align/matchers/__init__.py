"""The matchers, one a file. Each pairs some of the ops of two regions that are paired, and is named in each pair."""
