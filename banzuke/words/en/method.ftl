# Notes on method, at the end of a report.
report-method = Notes on method
report-method-median = Each figure is the median of a launch's raw samples; with several launches, the median of their medians. “Best” is the best single sample: the highest rate or the shortest time. Records keep the raw samples; statistics are computed when the report is written.
report-method-one-launch = With one launch, “spread” is the interquartile range of the samples divided by their median, and the interval is the { $confidence } interval of the median within that launch, between two of its samples; fewer than { $fewest } have none. Launches differ by more than their samples, so this interval does not show whether two figures differ.
report-method-launches = With several launches, the interval is the { $confidence } confidence interval of the mean over launches (Student's t on the logarithms of their medians, about the geometric mean; launches are taken to be independent and these logarithms to be about normally distributed), and “spread” is the standard deviation of these logarithms. Failed launches are listed and do not count. A launch stands out if it lies more than { $apart } from all others and { $times } times as far as these lie from each other. That is a description: three launches cannot prove it.
report-method-checks = No figure is shown without a passed check. A case that did not verify, crashed, ran out of time or was skipped is listed with its reason and has no figure.
report-method-shares = “Of limit” compares the median with the best value that the measured ceilings allow for the work of that case; “of peak” compares it with the theoretical peaks. For a time, it is the shortest possible time divided by the measured one. More than 100% is an error to explain, not a success.
report-method-caches = If a program reuses data that fit into the last-level cache, memory does not bound it, and it has no limit here. If the data are up to four times as large as that cache, part of them may stay in it, and the figure may exceed the limit.
report-method-variants = Environments and other variants are compared case by case, where nothing else differs, with the usual value or the first one. A ratio is that of the two figures, above 1 better. Its { $confidence } interval covers the variation between launches (Student's t on the logarithms of their medians, so that it is one of geometric means; paired where launches were interleaved, otherwise Welch's). One launch has no interval and no verdict: `--repeat 5` measures more.
report-method-units = Rates in B/s use decimal prefixes (1 GB/s = 10⁹ B/s) and count bytes as the benchmark defines them; capacities use binary prefixes (1 GiB = 2³⁰ B). Numbers are rounded to three significant digits; the data files beside this report hold them in full.
report-method-published = Figures of published machines are quoted from the cited reports, not measured again. “Per node” is the printed total divided by the printed number of nodes.
report-method-single =
    { $number ->
        [one] One figure rests on a single sample, and has no spread.
       *[other] { $number } figures rest on a single sample each, and have no spread.
    }
report-method-overhead = The cases took { $cases }, and Banzuke itself { $overhead } more until this page was written.
