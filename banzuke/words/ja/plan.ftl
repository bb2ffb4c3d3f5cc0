# 測定計画：ランクの配置。
placement-same-core = 同一コアの2ハードウェアスレッド
placement-same-complex = 最終レベルキャッシュを共有する2コア
placement-same-numa = 同一NUMAノード内の2コア
placement-same-socket = 同一ソケット内で異なるNUMAノードの2コア
placement-other-socket = 異なるソケットの2コア
placement-all = { $nodes ->
    [1] 1ノードの全{ $cores }コア
   *[other] { $nodes }ノードの各全{ $cores }コア
}
placement-numa = { $nodes }ノードの各全コア（NUMAノードごとに1ランク）
placement-ranks = { $nodes }ノード、各{ $ranks }ランク×{ $threads }スレッド
placement-one-each = { $nodes }ノードの各1コア{ $card ->
    [near] （ネットワークインタフェースの近く）
    [far] （ネットワークインタフェースから遠い側）
   *[unknown] {""}
}
plan-rank-on-each = { $parts }の{ $where ->
    [nodes] 各ノード
   *[groups] 各グループ
}に1ランクを置き、開始時に測定する性能に応じて分担する（--set shares= で指定した場合はその分担による）
plan-ranks-of-group = プロセッサ{ $group }に{ $ranks }ランク（{ $rate }）
plan-ranks-of-groups = 測定した性能に応じて{ $groups }とする{ $most ->
    [1] {""}
   *[other] 。あわせて、各グループ1ランクで性能に応じて分担する場合も測定する
}

# 試行の変更項目。
axis-image-value = イメージ{ $value }
axis-neighbours-value = { $number ->
    [0] 負荷プロセスなし
   *[other] 負荷プロセス{ $number }個
}
axis-build-value = ビルド{ $value }
axis-memory-value = メモリ割当方針{ $value }
axis-pages-value = { $value }ページ
axis-shares-value = { $value ->
    [rates] 性能比に応じた分担
   *[other] 均等な分担
}
axis-cores-value = コア{ $value }
axis-shape-value = 形状{ $value }
axis-order-value = 順序{ $value }
plan-full-title = { $benchmark }：{ $title }
plan-layout = { $ranks ->
    [1] {""}
   *[other] { $ranks }ランク ×{" "}
}{ $threads }スレッド
plan-layout-devices = { $layout }、アクセラレータ{ $devices }台
