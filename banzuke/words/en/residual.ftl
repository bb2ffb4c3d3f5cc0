# What was measured beside what the benchmark's model predicts.

residual-at-scale = This machine at scale
residual-at-scale-intro = What this machine would give on more nodes, and what an upgrade would change: the first command predicts one figure, the second writes a page with sliders. The network is an example; give the one that is planned, in bytes per second of a link each way.
residual-heading = Measured and predicted
residual-intro = Predicted from the description of the machine and from what other benchmarks of the run measured. The interval follows from how far the assumptions may be off. Where the 95% interval of the launches reaches that of the prediction, the two do not contradict each other.
residual-caption = Predictions
residual-predicted = Predicted
residual-interval = Interval
residual-measured = Measured
residual-ratio = Measured / predicted
residual-outside = outside the interval
residual-explained = the prediction would be right if the { $what } were { $factor } times as high
residual-implausible = the prediction would be right only if the { $what } were { $factor } times as high, which is not plausible
residual-unexplained = no single number of the prediction explains it
residual-apart = the { $phase } differs most, { $measured } instead of { $predicted }
residual-none = Not predicted: { $why }
residual-unknown = the { $rates } is unknown: no other benchmark of the run measured it, and nothing describes it
residual-not-finite = the model gives no finite figure
residual-disturbance = { $kind ->
    [shared] threads that shared a processor
    [hypervisor] the hypervisor{ $known ->
        [yes] , which took { $share } of the time
       *[no] {""}
    }
    [quota] a quota of processor time{ $known ->
        [yes] , which took { $share } of it
       *[no] {""}
    }
   *[others] other processes{ $known ->
        [yes] , which used { $share } of the processors
       *[no] {""}
    }
}
residual-disturbed = the likely reason: { $what }
residual-disturbed-remark = { $share } of the prediction ({ $predicted }); the likely reason: { $what }
residual-remark = { $kind ->
    [explained] { $ratio } times what is predicted ({ $predicted }), as if the { $what } were { $factor } times as high
    [implausible] { $ratio } times what is predicted ({ $predicted }), more than a plausible error of the { $what } explains
   *[unexplained] { $ratio } times what is predicted ({ $predicted }), which no single number of the prediction explains
}
residual-phases = Predicted and measured time of each part
residual-phase = Part
residual-difference = Measured − predicted
