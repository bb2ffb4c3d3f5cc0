# What an evaluation had no time for.
budget-cut-short = Cut short to fit { $budget }. All of it would take about { $whole } (--minutes { $minutes }):
budget-cut = { $benchmark }: { $what }
budget-cases = { $cases } of { $planned } cases
budget-launches = headline launched { $launches } of { $planned } times
budget-shortened = headline shortened from about { $usual } to { $seconds }
