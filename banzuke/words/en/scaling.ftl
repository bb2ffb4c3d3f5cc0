# How figures change with the number of nodes.

scaling-section = Scaling
scaling-title =
    { $kind ->
        [strong] { $benchmark }: strong scaling
        [weak] { $benchmark }: weak scaling
       *[throughput] { $benchmark }: throughput of independent copies
    }
scaling-nodes = nodes
scaling-layout = per node
scaling-rate = rate
scaling-interval = 95% interval
scaling-speed-up = speed-up
scaling-efficiency = efficiency
scaling-launches = launches
scaling-sizes-differ = The sizes differ by up to { $most }: each job chose its own. Rates are compared.
scaling-beyond =
    { $kind ->
        [strong] Efficiency above 100% ({ $efficiency } on { $nodes } nodes): the part of a node becomes smaller and is served more by its caches, or the figure of the fewest nodes is low. Compare the working set with the caches.
        [weak] Efficiency above 100% ({ $efficiency } on { $nodes } nodes): a larger problem has a smaller share of communication and of the other costs, or the figure of the fewest nodes is low.
       *[throughput] Efficiency above 100% ({ $efficiency } on { $nodes } nodes): copies on different nodes do not help each other, so the figure of the fewest nodes is low, or its node is a slow one.
    }
scaling-apart = On { $nodes } nodes the copies did not all run at the same time on nodes of their own: the sum is not what they would reach together.
scaling-failed =
    { $number ->
        [one] { $number } launch was not verified and does not count.
       *[other] { $number } launches were not verified and do not count.
    }
scaling-one-launch = Some numbers of nodes have one launch, whose efficiency has no interval: measure with --repeat 3.
scaling-disturbed = { $launches ->
    [one] 1 launch on { $nodes } nodes was
   *[other] { $launches } launches on { $nodes } nodes were
} disturbed by other processes or by the hypervisor and { $launches ->
    [one] does
   *[other] do
} not count.
scaling-state = Compared in one state of the machine: { $state }, in which { $launches } of { $of } launches ran.
scaling-elsewhere = Measurements on { $nodes } nodes are left out: all were in other states ({ $states }).
scaling-copies-unlike = On { $nodes } nodes the copies ran in different states of the machine: { $states }.
scaling-runs-apart = Numbers of nodes were measured in runs apart in time, between which the machine may have changed: an efficiency has an interval if there are three runs of each or more, in turn and hours apart.
scaling-models = Models of the cost per work (nodes over rate)
scaling-model = model
scaling-model-name =
    { $model ->
        [perfect] perfect scaling
        [amdahl] Amdahl
        [gustafson] Gustafson
        [messages] messages (α, β)
       *[extra-p] Extra-P
    }
scaling-fitted = fitted
scaling-deviation = deviation
scaling-left-out = left out
scaling-ahead = efficiency on { $nodes } nodes
scaling-serial = serial share { $share } (95%: { $low } – { $high })
scaling-terms = cost { $terms }
scaling-too-few =
    { $number ->
        [one] { $number } number of nodes was measured; models need { $least }.
       *[other] { $number } numbers of nodes were measured; models need { $least }.
    }
scaling-few-for-terms = Extra-P's terms need { $least } numbers of nodes; there are { $number }.
scaling-none-better = No model predicts these figures better than perfect scaling does.
scaling-best = Best model: { $model }, { $fitted }.
scaling-next = Next: measure on { $nodes } nodes (about { $cost } of node time).
scaling-next-separates = Next: measure on { $nodes } nodes (about { $cost } of node time), where { $one } and { $other } differ by more than their errors.
scaling-next-narrows = Next: measure on { $nodes } nodes (about { $cost } of node time): the interval of the prediction for twice the largest number becomes { $share } of what it is.
scaling-drawn = Rates over the number of nodes, from { $low } to { $high }.
scaling-efficiency-title = { $title }, efficiency
scaling-efficiency-drawn = Efficiencies over the number of nodes, from { $low } to { $high }.
scaling-axis-efficiency = efficiency, %
scaling-axis-nodes = nodes, log scale
scaling-axis-rate = { $unit }, log scale
scaling-caption = Points: medians over launches, with 95% intervals. Dashed: perfect scaling from the fewest nodes.
scaling-caption-fit = Points: medians over launches, with 95% intervals. Dashed: perfect scaling from the fewest nodes. Line: the best model; band: 95% prediction interval of a measurement.
scaling-method = Efficiency is the rate per node over that of the fewest nodes; speed-up is efficiency times nodes. Intervals are of the ratio of geometric means by Welch's t on the logarithms of the launches' medians. Where several settings were measured on a number of nodes, the fastest counts. Models are least-squares fits of relative deviations to one figure per number of nodes; “left out” is the error of each figure predicted by the fit to the others. A model is called best if that error is at most { $better } of that of perfect scaling and its terms differ from zero at 95%; of nearly equal ones the simpler one is.
