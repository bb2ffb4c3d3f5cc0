"""Carries a plan out, in these steps, which tell the user what they do through a `RunListener`.

1. `prepare.prepare` takes the steps before the first launch:
   `look.look`, the machine as it is found, in less than a second, with its storage areas (`in_areas`);
   `Prepared.planned`, the cases of the chosen benchmarks, planned once;
   `refuse`, so that impossible calls are refused before anything is measured;
   `Prepared.fitted`, lengths that fit a budget;
   `reserve.reserve`, the results folder and quiet processors;
   `needed.find_needed`, what limits the figures and has not been measured by any run;
   `measure_here`, clocks, and which BLAS library is the fastest;
   `Prepared.on` that machine, with tuned settings; planned again only if something changed that plans depend on.
2. `Prepared.largest`: each case is checked and written as a command once, and launched as it was written.
3. `carry_out.begin`: a new run, or an interrupted one that is continued.
4. `carry_out.carry_out`: first what the limits need, then each case (`execute.execute_all`); the record states how each
   one ended. What limits figures is measured again (`again`) if the machine has changed its state.
5. `carry_out.judged`: each case against the ceilings that were measured.

`screen.measure_nodes` carries out what a fleet measures, for which each node's type is planned once.
"""
