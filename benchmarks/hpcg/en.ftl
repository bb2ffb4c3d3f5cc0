hpcg-rule-seconds = at least { $least } s of timed sets
hpcg-rule-memory = at least { $least } of the memory
