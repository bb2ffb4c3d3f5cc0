# 基準値のない種別のノードを単独で判定する場合。

screen-below-peak = { $title }は理論ピーク性能の{ $share }。正常なノードは{ $least }を超える
