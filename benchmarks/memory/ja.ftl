# 仕様で英語で宣言した語。
memory-title = メモリ階層
memory-metric-load_bandwidth = バンド幅（読み出し）
memory-metric-l1_load_bandwidth = バンド幅（読み出し）、L1
memory-metric-l2_load_bandwidth = バンド幅（読み出し）、L2
memory-metric-l3_load_bandwidth = バンド幅（読み出し）、L3
memory-metric-store_bandwidth = バンド幅（書き込み）
memory-metric-l1_store_bandwidth = バンド幅（書き込み）、L1
memory-metric-l2_store_bandwidth = バンド幅（書き込み）、L2
memory-metric-l3_store_bandwidth = バンド幅（書き込み）、L3
memory-metric-copy_bandwidth = バンド幅（コピー）
memory-metric-l1_copy_bandwidth = バンド幅（コピー）、L1
memory-metric-l2_copy_bandwidth = バンド幅（コピー）、L2
memory-metric-l3_copy_bandwidth = バンド幅（コピー）、L3
memory-metric-triad_bandwidth = バンド幅（Triad）
memory-metric-l1_triad_bandwidth = バンド幅（Triad）、L1
memory-metric-l2_triad_bandwidth = バンド幅（Triad）、L2
memory-metric-l3_triad_bandwidth = バンド幅（Triad）、L3
memory-metric-gather_rate = ランダム読み出し
memory-metric-l1_gather_rate = ランダム読み出し、L1
memory-metric-l2_gather_rate = ランダム読み出し、L2
memory-metric-l3_gather_rate = ランダム読み出し、L3
memory-metric-latency = 遅延時間
memory-metric-l1_latency = 遅延時間、L1
memory-metric-l2_latency = 遅延時間、L2
memory-metric-l3_latency = 遅延時間、L3
memory-metric-loads_in_flight = 1スレッドの同時ランダム読み出し数
memory-metric-loaded_latency = 他スレッドの読み出し中の遅延時間
memory-metric-load_beside = 他スレッドの読み出しバンド幅
memory-plot-loaded_latency-streams = 読み出すスレッド数に対する遅延時間
memory-metric-local_latency = 遅延時間（自NUMAノード）
memory-metric-remote_latency = 遅延時間（他NUMAノード）
memory-metric-local_bandwidth = バンド幅（自NUMAノード）
memory-metric-remote_bandwidth = バンド幅（他NUMAノード）
memory-metric-pair_latency = コア間の遅延時間
resource-memory-gathers = メモリからのランダム読み出し性能
resource-memory-l1-bytes = L1キャッシュのバンド幅
resource-memory-l1-loads = L1キャッシュの読み出しのみのバンド幅
resource-memory-l1-gathers = L1キャッシュからのランダム読み出し性能
resource-memory-l2-bytes = L2キャッシュのバンド幅
resource-memory-l2-loads = L2キャッシュの読み出しのみのバンド幅
resource-memory-l2-gathers = L2キャッシュからのランダム読み出し性能
resource-memory-l3-bytes = L3キャッシュのバンド幅
resource-memory-l3-loads = L3キャッシュの読み出しのみのバンド幅
resource-memory-l3-gathers = L3キャッシュからのランダム読み出し性能
along-data-of-a-thread = スレッドあたりのデータ量
along-data-of-a-device = アクセラレータ上のデータ量
noun-pass = 反復
noun-Passes = 反復数
memory-check-sums-that-are-not-those-of-all-loads = 全読み出しの和と異なる和の数
memory-check-elements-that-are-not-as-all-passes-leave-them = 全反復後の値と異なる要素数
memory-check-lines-that-a-cycle-does-not-visit-exactly-once = ちょうど1回訪れない行の数
memory-check-chases-that-ended-elsewhere-than-their-loads-lead = 終点が読み出し回数と合わない追跡の数
memory-check-pages-that-are-not-on-the-node = 指定したノードにないページの数
memory-check-tokens-that-were-wrong-or-did-not-come = 誤った、または届かなかったトークンの数

memory-levels = 遅延時間から見たキャッシュ
memory-levels-caption = 各キャッシュの遅延時間を保つスレッドあたりの最大データ量と、プロセッサが示す各キャッシュのスレッドあたりの容量
memory-levels-method = 遅延時間から見たキャッシュ：遅延時間の比が{ $alike }未満で、データ量の比が{ $width }以上にわたる範囲を1つのキャッシュとみなす。プロセッサが示す容量に最も近いものと対応させ、比が{ $apart }以上のときに異なるとする（データ量は2倍あたり2点）
memory-numa = { $figure ->
    [numa_latency] NUMAノード間の遅延時間
   *[numa_bandwidth] NUMAノード間のバンド幅
}
memory-numa-drawn = { $benchmark }：{ $figure ->
    [numa_latency] NUMAノード間の遅延時間
   *[numa_bandwidth] NUMAノード間のバンド幅
}
memory-numa-range = { $low }から{ $high }まで。
memory-numa-far = 中央値：自ノードのメモリ{ $own }、他ノードのメモリ{ $other }。
memory-numa-processors = プロセッサのノード
memory-numa-memory = メモリのノード
memory-numa-slow = NUMAノード{ $nodes }の自メモリが最良のノードより最大{ $ratio }倍遅い：ノード間でメモリモジュールの構成を比べること
memory-numa-method = NUMAノード：1ノードのプロセッサから1ノードのメモリ上のデータを順に測る。遅延時間は1プロセッサ、バンド幅はノードの全プロセッサによる。自ノードのメモリは、最良のノードの{ $ratio }倍以上かかるときに遅いとする
memory-case = ケース
memory-level = 階層
memory-told = プロセッサの情報
memory-found = 遅延時間による値
memory-level-latency = 遅延時間
memory-cache = { $level ->
    [none] 情報なし
   *[other] L{ $level }
}
memory-memory = メモリ
memory-levels-apart = 遅延時間から見たキャッシュがプロセッサの情報と異なる：{ $levels }
memory-level-apart = L{ $level }は{ $seen ->
    [yes] スレッドあたり{ $told }のところ{ $found }まで
   *[no] スレッドあたり{ $told }のところ見当たらない
}

# 実行中の状態。
memory-seen-pairs = コア対の数
memory-seen-memories = メモリを持つNUMAノード数
memory-seen-streams = 読み出すスレッド数
memory-unpredicted = キャッシュの遅延と転送性能が仕様に書かれていない
