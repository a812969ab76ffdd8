"""One small SSA graph for jaxpr, StableHLO and HLO."""
