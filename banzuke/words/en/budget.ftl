# What an evaluation had no time for.
budget-incomplete = This evaluation is incomplete: { $number ->
    [one] { $benchmarks } has
   *[other] { $benchmarks } have
} no figure, because { $budget } was too short. --minutes { $minutes } is probably enough
budget-cut-short = Cut short to fit { $budget }. All of it would take about { $whole } (--minutes { $minutes }).
budget-cut = { $benchmark }: { $what }
budget-cases = { $cases } of { $planned } cases
budget-launches = headline launched { $launches } of { $planned } times
budget-shortened = headline shortened from about { $usual } to { $seconds }
