# 時間枠に収まらなかったもの。
budget-incomplete = この評価は不完全である：時間枠{ $budget }が足りず、{ $benchmarks }（{ $number }件）の測定値がない。--minutes { $minutes }とすれば測定できる見込みである
budget-cut-short = 時間枠{ $budget }に収めるため短縮した。すべての測定には約{ $whole }を要する (--minutes { $minutes })。
budget-cut = { $benchmark }：{ $what }
budget-cases = { $planned }ケース中{ $cases }ケースを測定
budget-launches = 代表ケースの試行{ $planned }回中{ $launches }回
budget-shortened = 代表ケースを約{ $usual }から{ $seconds }に短縮
