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
