# 報告書の冒頭，構成図，公表システムとの比較。

site-title = { $name } の構成
site-partition-said = { $name }：ノード数 { $nodes }，プロセッサ { $processors }，ノード当たりのコア数 { $cores }，ノード当たりのメモリ容量 { $memory }{ $accelerated ->
    [yes] ，アクセラレータ { $devices }
   *[no] {""}
}{ $mounts ->
    [yes] ，ストレージ { $areas }
   *[no] {""}
}。
site-number-unknown = 不明
site-nodes = { $nodes } ノード
site-node-of = { $name } のノード構成
site-processor-unknown = プロセッサ不明
site-cores = { $cores } コア
site-assistant-cores = アシスタントコア：{ $cores }
site-usable-cores = { $cores } コア中 { $usable } コアをジョブに割当て
site-numa = NUMA ノード { $nodes } 個
site-peak = 理論性能 { $rate }
site-measured = 実測 { $rate }
site-more = ほか { $more } 件
