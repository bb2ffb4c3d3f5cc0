# 公開リストの中の順位：`banzuke rank`、予測、報告の図。

rank-edition = { $year }年{ $month ->
    [june] 6月
    [november] 11月
   *[other] { $month }月
}
rank-led = { $edition }まで1位
rank-best = 最高で{ $place }位（{ $edition }）
rank-newest = 最新の{ $edition }で{ $place }位
rank-last = リストに入るのは{ $edition }まで（その{ $place }位に相当）
rank-never = { $since }以降のどの回にも入らない（{ $edition }の{ $place }位が{ $figure }で、その{ $times }分の1）
rank-history = { $list }の歴史の中の本システム
rank-place = { $place }位
rank-last-place = 最下位
rank-own = 本システム：{ $figure }
rank-caption = { $list }では、{ $said }。
rank-described = { $list }の各回の値と、本システムの{ $figure }：{ $said }。
rank-places = { $list }の{ $count }回での順位
rank-column-edition = 回
rank-column-place = 順位
rank-column-first = 1位の値
rank-column-last = 最下位の値
