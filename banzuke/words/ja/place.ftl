# ネットワーク上のランクの配置。

place-title = ランクの配置
place-pattern-halo = 隣接ランクとの通信
place-pattern-alltoall = 全対全通信
place-pattern-allgather = 全ランクのリング
place-network = { $ranks }ランク{ $grid ->
    [none] {""}
   *[other] （格子{ $grid }）
}、{ $hosts }ホスト、スイッチ{ $switches }台、ケーブル{ $cables }本
place-verdict = モデルでは、{ $pattern }の通信時間は、スケジューラの順では提案する順の{ $gain }倍となる。提案する順は「{ $begun }」{ $exchanges ->
    [0] である。
   *[other] で{ $exchanges }組のランクを入れ替えたもの。
}
place-verdict-run = モデルでは、{ $pattern }の時間は、スケジューラの順では提案する順の{ $gain }倍となる。提案する順は「{ $begun }」{ $exchanges ->
    [0] である。
   *[other] で{ $exchanges }組のランクを入れ替えたもの。
}
place-verdict-none = モデルでは、{ $pattern }の通信がスケジューラの順より速い順は見つからなかった。
place-order = 順
place-time = 通信時間
place-time-relative = 通信時間（相対値）
place-time-model = モデルでの時間
place-time-model-relative = モデルでの時間（相対値）
place-phases = 段階の合計
place-ratio = 提案との比
place-ratio-last = 最速との比
place-busiest = 最も混むリンク
place-flows = その通信数
place-rate = 性能
place-from = 送信側
place-to = 受信側
place-used = { $all }本中{ $used }本を使用
place-order-scheduler = スケジューラの順
place-order-number = 番号順
place-order-random = ランダム
place-order-switch = スイッチ順
place-order-rows = スイッチ順で行方向
place-order-tiles = 格子のまとまった部分をスイッチ順に
place-order-strips = 列の帯をスイッチごとに、帯の中は番号順
place-order-strips-random = 列の帯をスイッチごとに、帯の中はランダム
place-order-place = 提案
place-order-seeded = ランダム（シード{ $seed }）
place-grid = スイッチで色分けしたランクの格子
place-grid-description = それぞれの順でのランクの格子。各位置の色は、そのホストがつながるスイッチを表す。
place-legend-again = スイッチは{ $number }台あり、同じ色を繰り返し使っている。
place-links = スイッチ間リンクの通信数
place-links-description = それぞれの順とスイッチの組について、ケーブルごとの棒で、最も時間のかかる段階の通信数を示す（縮尺は順ごと）。各組で最も混むケーブルは下の表にある。
place-links-some = いずれかの順で最も混むリンクを持つスイッチの組から、{ $all }組中{ $shown }組を示す。
place-assumed = 仮定
place-routing-destination = スイッチは受信側の番号でケーブルを選ぶ（静的ルーティング）。同じ受信側への通信は常に同じケーブルを通る。
place-routing-blocks = スイッチは連続する受信側を同数ずつ各ケーブルに割り当てる（静的ルーティング）。
place-routing-first = スイッチは最短経路上の最初のケーブルを使う。トーラスでは次元順となる。
place-routing-adaptive = スイッチは最短経路上のケーブルに通信を均等に分ける。よくある順のほかにランクの入れ替えは試さない。
place-adapters-striped = 各メッセージはホストの全アダプタに分割される。
place-adapters-by-rank = 各ランクはホストのアダプタを順に1つずつ使う。
place-adapters-first = 各ホストの最初のアダプタだけを使う。
place-assumed-exchange = 全ランクが互いに送る段階のうち、最大32段階を調べる。段階kでは各ランクがk番先のランクに送る。
place-assumed-at-once = 全ランクがほかの全ランクに同時に送る。各ランクにつき最大32の相手を調べ、全体を代表させる。
place-assumed-ring = 各ランクは次のランクに、ほかのランクの数だけ繰り返し送る。大きなメッセージのMPI_AllgatherやNCCLのリングにあたる。
place-assumed-halo = 各ランクは格子の辺方向の隣に同じ量を送る。辺と頂点を共有するだけの相手は省く。ランクは格子の最初の辺の方向に番号が進む。
place-note-steps = 時間は、格子の各部分でベンチマークのステップを追い、すべてのリンクの負荷から求める。通信は互いを待ち、計算に隠れる。よりよい順の探索では段階の合計を比べ、各段階の時間は最も混むリンクで決まるとする。他のジョブは考えない。
place-note-size = --sizeの指定がないため、{ $size }と仮定する。
place-note-no-computation = 計算時間はゼロとする。--rank-rateと--sizeを指定すると、計算を含む全体の時間となる。
place-note-replay = 時間は小さなシミュレータによる。各ランクは自分の通信が終わると次の段階を始め、進行中の通信はリンクを公平に分け合う。よりよい順の探索では段階の合計を比べ、全ランクが最も混むリンクを待つとする。他のジョブは考えない。
place-note-rendezvous = 通信は、大きなメッセージのとおり（ランデブー）、受け手が同じ段階に入ってから始まる。--eagerを指定すると受け手を待たない。
place-note-eager = 通信は受け手が同じ段階に入るのを待たずに始まる（--eager）。
place-note-model = 各段階の時間は最も混むリンクで決まる。遅延、他のジョブ、リンクの時間的な共有は考えない。
place-simulated-title = シミュレーション
place-simulated = シミュレーション
place-model = モデル
place-simulated-ratio = モデルに対する比
place-computing = 計算
place-simulated-links = 最も混むリンクと使用率
place-contradicted = シミュレーションでは、モデルが提案する順は最も速い順より{ $longer }長くかかる。代わりに最も速い順を提案する：{ $order }。
place-note-simulated = SimGridによるシミュレーション。メッセージは各リンクを公平に分け合い、1つの経路を通り、転送のほかに{ $latency }かかる。使用率は、運んだ量をその時間に運べた量で割ったもの。
place-note-simulated-computation = どちらの時間も、1ランクの速度での計算を解析モデルのとおりに含む。通信は計算と同時に進む。三角系の求解は含まない。
place-note-simulated-steps = シミュレーションのメッセージ1つは、ベンチマークのメッセージ{ $number }個分にあたる。
place-note-slurm-rates = Slurmのファイルはケーブルの速度を示さないため、すべて同じとする。
place-note-slurm-uplinks = Slurmのファイルはスイッチから上へのケーブルの数を示さないため、下にあるノードとスイッチの数と同じとする。実際の数は--uplinks Nで指定する。
place-note-slurm-chosen = ファイルには{ $number }個のトポロジがある。クラスタの既定、または最初の「{ $name }」を用いる。
place-note-slurm-blocks = ブロックは近いノードを示すだけで配線を示さない。各ブロックを1台のスイッチとし、その上に全体のスイッチを1台置く。
place-note-slurm-torus = Slurmのリングとトーラスは隣り合うノードを示すだけで配線を示さない。隣との間をケーブル1本とし、次元順に送るとする。
place-note-netloc = netlocのファイルにある経路は読まない。ルーティングはほかのファイルと同じと仮定する。
place-note-measured = スイッチは測定した組から推定：{ $number ->
    [1] 全ホスト間がほぼ同じ速さで、1台のスイッチにあるとみなす
   *[other] 互いに他より速いホストの{ $number }群
}。ホストの送信速度はスイッチ内のバンド幅の中央値。
place-note-measured-links = 各回の組は同時に通信した。スイッチのケーブルは、1回にそのホストが他へ送った量を運ぶとみなし、全スイッチは上位の1台でつながるとみなす。
place-note-rates-unknown = 速度の分からないケーブルがあるため、すべて同じとする。
place-note-unnamed = { $number }個のアダプタの記述にはホスト名がなく、GUIDで呼ぶ。
