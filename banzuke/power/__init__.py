"""Energy of the timed parts of cases: the sensors read while cases run, and whether their readings can be used."""
