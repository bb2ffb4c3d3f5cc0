"""Carries a plan out, in these steps.

1. `examined.find_machine`: this machine as it is found, in less than a second.
2. `prepared.Prepared.planned`, and `fitted` to a budget: the cases of the chosen benchmarks, planned once.
3. `Prepared.refuse`: what cannot be is refused before anything is measured.
4. `needed.find_needed`: what limits the figures and no run has measured yet.
5. `examined.measure_machine`: clocks, and which BLAS library is the fastest.
6. `Prepared.on` that machine, with settings that were tuned: planned again only where a plan follows from what changed.
7. `Prepared.largest`: each case is checked and written as a command once, and launched as it was written.
8. `execute.run_of`: a new run, or the one that was cut off and goes on.
9. `execute.execute_all`: what is needed for the limits, then each case; however one ends, its record says so. What
   limits figures is measured again (`again`) where the machine has changed its state.
10. `judge.records.judge`: each case against the ceilings that were measured.
"""
