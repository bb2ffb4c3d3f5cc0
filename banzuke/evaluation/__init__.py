"""Carries a plan out, in these steps.

1. `examined.find_machine`: this machine as it is found, in less than a second.
2. `prepared.Prepared.planned`, and `fitted` to a budget: the cases of the chosen benchmarks, planned once.
3. `Prepared.refuse`: impossible calls are refused before anything is measured.
4. `needed.find_needed`: what limits the figures and has not been measured by any run.
5. `examined.measure_machine`: clocks, and which BLAS library is the fastest.
6. `Prepared.on` that machine, with tuned settings; planned again only if something changed that plans depend on.
7. `Prepared.largest`: each case is checked and written as a command once, and launched as it was written.
8. `execute.run_of`: a new run, or an interrupted one that is continued.
9. `execute.execute_all`: first what the limits need, then each case; the record states how each one ended. What
   limits figures is measured again (`again`) if the machine has changed its state.
10. `judge.records.judge`: each case against the ceilings that were measured.
"""
