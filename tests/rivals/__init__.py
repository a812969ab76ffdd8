"""What people compare compiled programs with today, on the same mutants and the same equal pairs as scanir."""
