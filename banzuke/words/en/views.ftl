# Shapes that records of several benchmarks have: time by phase, figures over sizes, of pairs, of many problems.

views-where-time-went = Where the time went
views-phase = Phase
views-time = Time
views-of-time = Share of time
views-time-of-phases =
    { $launches ->
        [0] Time of each phase, mean over the ranks
       *[other] Time of each phase, mean over the ranks, in the median of { $launches } launches
    }
views-costly-phase = { $phase }
    .evidence = It took { $share } of the time
    .confirm = { $advice }
views-explain = `banzuke explain { $benchmark }` describes it
views-slow-work = { $phase } runs below its limit
    .evidence = { $phase } ran at { $rate }, { $share } of the limit: { $source }
    .confirm = { $advice }
views-slow-work-advice = Check the library and the sizes that it is called with
views-rate-over-progress = { $benchmark }: rate over the run
views-rate-over-progress-drawn = From { $first } in the first interval to { $last } in the last; the highest is { $most }.
views-rate-over-progress-caption =
    { $limited ->
        [yes] Rate in each interval; { $whole } over all of them. Dashed: the limit by the measured ceilings.
       *[no] Rate in each interval; { $whole } over all of them.
    }
views-limit-line = limit { $limit }
views-shares-over-progress = { $benchmark }: where the time went over the run
views-shares-over-progress-drawn = { $phases }.
views-shares-over-progress-caption = From bottom to top in the order of the table; means over the ranks. The first half of the run took { $half } of the time.
views-phase-share = { $phase } { $share }
views-axis-of-time = % of the time
views-axis-percent = { $along }, %
views-interval = { $begin } to { $end }
views-tip-time = time
views-tip-rate = rate
