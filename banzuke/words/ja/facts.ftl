# 値の書き方。
fact-not-finite = 有限値でない
fact-span = { $first }～{ $last }
fact-hours = { $hours }時間{ $minutes ->
    [0] {""}
   *[other] { $minutes }分
}
fact-minutes = { $minutes }分{ $seconds ->
    [0] {""}
   *[other] { $seconds }秒
}
fact-date = %Y年%-m月%-d日
fact-comma = 、
fact-list = { $items }、{ $last }
fact-list-more = { $items }ほか{ $more }件
fact-next = 。
fact-full-stop = 。
fact-between-sentences = {""}
