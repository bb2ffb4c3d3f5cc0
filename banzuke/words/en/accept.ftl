# A contract's figures, judged.

accept-sheet = Acceptance sheet
accept-result = Result
accept-outcome = { $verdict ->
    [pass] Accepted
    [fail] Not accepted
   *[untold] Cannot be told yet
}
accept-whole = { $outcome } ({ $totals })
accept-of = { $figure }: { $what }
accept-of-hosts = { $figure } on { $hosts }: { $what }
accept-one-state = one state
accept-totals = { $figures ->
    [one] { $figures } figure
   *[other] { $figures } figures
}: { $passed } pass, { $failed } fail, { $untold } cannot be told, { $waived } waived{ $improvement ->
    [pass] ; the improvement passes
    [fail] ; the improvement fails
    [untold] ; the improvement cannot be told
   *[none] {""}
}
accept-verdict-of = { $verdict ->
    [pass] pass
    [fail] fail
   *[untold] cannot be told
}{ $waived ->
    [yes] , waived
   *[no] {""}
}
accept-figure = figure
accept-asked = agreed
accept-measured = measured
accept-interval = 95% interval
accept-nodes = nodes that reach it
accept-verdict = verdict
accept-at-least = at least { $requirement }
accept-at-most = at most { $requirement }
accept-tolerance = reference with a tolerance of { $share }
accept-worst = worst { $value }
accept-reached = { $reached } of { $of }
accept-improvement = Improvement over the predecessor
accept-over = times { $predecessor }
accept-mean = geometric mean
accept-mean-asked = geometric mean, agreed: at least { $least }
accept-waivers = Waivers
accept-reason = reason
accept-by = agreed to by
accept-date = date
accept-evidence = Evidence
accept-case = case
accept-runs = runs
accept-launches = launches
accept-interval-of = interval of
accept-state = state of the machine
accept-between = { $what ->
    [runs] the variation between runs
   *[launches] the variation between launches
}
accept-counted = { $counted } of { $launches } count
accept-agreement = Agreement
accept-customer = Customer
accept-vendor = Vendor
accept-agreed = Agreed on
accept-contract = File
accept-machine = Machine
accept-measured-hosts = Hosts
accept-measured-runs = Runs
accept-note = Note
accept-signatures = Signatures
accept-party = party
accept-name = name
accept-signature = signature
accept-rule-confidence = { $confidence ->
    [median] The median must reach the requirement.
   *[interval] The whole 95% interval must reach the requirement.
}
accept-rule-share = { $share } of the nodes must reach it.
accept-rule-nodes = It is asked of { $number ->
    [one] { $number } node
   *[other] { $number } nodes
}.
accept-rule-launches = At least { $number ->
    [one] { $number } launch counts
   *[other] { $number } launches count
} on each node.
accept-rule-runs = They are of at least { $number } runs, half an hour or more apart.
accept-rule-verified = { $all ->
    [yes] Every launch must be verified.
   *[no] Launches that did not verify do not count.
}
accept-rule-undisturbed = Launches that other processes or the hypervisor disturbed do not count.
accept-rule-official = Only official results by the benchmark's own rules count.
accept-unmeasured = Not measured in { $runs }. `{ $command }` measures it
accept-other-setting = { $setting } is { $asked } in the contract, and { $there } in the runs
accept-unmatched = Not measured as agreed: { $settings }. `{ $command }` measures it
accept-unmatched-together = No case in { $runs } has all the agreed settings together and is launched as usual. `{ $command }` measures it
accept-unlike = The runs measured unlike cases: { $settings }. Choose one in the contract, or leave runs out
accept-skipped = Skipped: { $reasons }
accept-unverified = { $failed } of { $launches ->
    [one] { $launches } launch
   *[other] { $launches } launches
} did not verify: { $reasons }
accept-none-verified = No launch verified. Find out why, then `{ $command }`
accept-none-counts = No launch counts by the agreed rules. Remove what is named here, then `{ $command }`
accept-left-out = { $number } of { $launches ->
    [one] { $launches } launch
   *[other] { $launches } launches
} not counted: { $why }
accept-no-metric = they have no { $metric } in this unit
accept-disturbed = other processes or the hypervisor used the processors
accept-unofficial = no official result: { $found } instead of { $rule }
accept-rules-unknown = the rules for official results need the machine's description, which is missing
accept-no-requirement = The contract has no requirement for { $systems }. Add one, or one for "*"
accept-few-launches = { $launches ->
    [one] { $launches } launch counts
   *[other] { $launches } launches count
}, { $asked } were agreed on. `{ $command }` measures enough
accept-few-runs = Measured in { $runs ->
    [one] { $runs } run
   *[other] { $runs } runs
} half an hour or more apart, { $asked } were agreed on. Repeat `{ $command }` later
accept-not-positive = The figure is not positive, so it cannot be compared with its requirement
accept-no-interval = Its launches do not show how they vary: too few, or exactly alike. `{ $command }` shows it
accept-holds = The interval holds the requirement. `{ $command }` may show on which side the figure lies: { $launches } launches of this variation do
accept-holds-runs = The interval between runs holds the requirement. Repeat `{ $command }` hours apart, and name all runs
accept-too-near = The interval holds the requirement, and the figure is so near to it that launches of this variation do not tell them apart. Measure under steadier conditions, or agree on the median
accept-more-nodes = Measured on { $measured } of { $of } nodes. `{ $command }` on the others decides
accept-missed = { $number ->
    [one] { $number } node does
   *[other] { $number } nodes do
} not reach it: { $hosts }
accept-not-all-compared = { $number ->
    [one] { $number } figure
   *[other] { $number } figures
} cannot be compared with the predecessor. Measure them there and here, or write improvement = false
accept-improvement-holds = The interval of the geometric mean holds the agreed improvement. More launches and runs make it narrower
accept-improvement-runs = No interval is known for some ratios: how runs differ is shown by three of each machine, hours apart
accept-no-figure-here = no launch counts here
accept-not-published = { $machine } has no such published figure{ $why ->
    [none] {""}
   *[other] {": "}{ $why }
}
accept-not-in-predecessor = { $run } has no figure that counts: { $why }
accept-not-comparable = not comparable: { $why }
