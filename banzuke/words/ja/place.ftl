# ネットワーク上のランクの配置。

place-title = ランクの配置
place-pattern-hpl = HPL
place-pattern-fft = フーリエ変換
place-pattern-halo = 隣接ランクとの通信
place-pattern-alltoall = 全対全通信
place-pattern-allgather = 全ランクのリング
place-network = { $ranks }ランク（格子{ $grid }）、{ $hosts }ホスト、スイッチ{ $switches }台、ケーブル{ $cables }本
place-verdict = モデルでは、{ $pattern }の通信時間は、スケジューラの順では提案する順の{ $gain }倍となる。提案する順は「{ $begun }」で{ $exchanges }組のランクを入れ替えたもの。
place-verdict-none = モデルでは、{ $pattern }の通信がスケジューラの順より速い順は見つからなかった。
place-order = 順
place-time = 通信時間
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
place-links = スイッチ間リンクの負荷
place-links-description = それぞれの順とスイッチの組について、ケーブルごとの棒で、最も時間のかかる段階の通信数を示す（縮尺は順ごと）。各組で最も混むケーブルは下の表にある。
place-assumed = 仮定
place-routing-destination = スイッチは受信側の番号でケーブルを選ぶ（静的ルーティング）。同じ受信側への通信は常に同じケーブルを通る。
place-routing-blocks = スイッチは連続する受信側を同数ずつ各ケーブルに割り当てる（静的ルーティング）。
place-routing-first = スイッチは最短経路上の最初のケーブルを使う。トーラスでは次元順となる。
place-routing-adaptive = スイッチは最短経路上のケーブルに通信を均等に分ける。よくある順のほかにランクの入れ替えは試さない。
place-adapters-striped = 各メッセージはホストの全アダプタに分割される。
place-adapters-by-rank = 各ランクはホストのアダプタを順に1つずつ使う。
place-adapters-first = 各ホストの最初のアダプタだけを使う。
place-assumed-hpl = パネルは格子の行をリングとして回り、各ランクは受信してから送信する。交換する行は列方向に流れる。通信は計算に隠れないとする。ランクは格子の列方向に番号が進む。HPLはPMAPを列優先で起動する（本ツールでは--set order=column）。
place-assumed-exchange = 全ランクが互いに送る段階のうち、最大32段階を調べる。段階kでは各ランクがk番先のランクに送る。
place-assumed-ring = 各ランクは次のランクに、ほかのランクの数だけ繰り返し送る。大きなメッセージのMPI_AllgatherやNCCLのリングにあたる。
place-assumed-halo = 各ランクは格子の辺方向の隣に同じ量を送る。辺と頂点を共有するだけの相手は省く。ランクは格子の最初の辺の方向に番号が進む。
place-note-model = 各段階の時間は最も混むリンクで決まる。遅延、他のジョブ、リンクの時間的な共有は考えない。
place-note-slurm-rates = Slurmのファイルはケーブルの速度を示さないため、すべて同じとする。
place-note-slurm-uplinks = Slurmのファイルはスイッチから上へのケーブルの数を示さないため、下にあるノードとスイッチの数と同じとする。実際の数は--uplinks Nで指定する。
place-note-slurm-chosen = ファイルには{ $number }個のトポロジがある。クラスタの既定、または最初の「{ $name }」を用いる。
place-note-slurm-blocks = ブロックは近いノードを示すだけで配線を示さない。各ブロックを1台のスイッチとし、その上に全体のスイッチを1台置く。
place-note-measured = スイッチは測定した組から推定：{ $number ->
    [1] 全ホスト間がほぼ同じ速さで、1台のスイッチにあるとみなす
   *[other] 互いに他より速いホストの{ $number }群
}。ホストの送信速度はスイッチ内の帯域幅の中央値。
place-note-measured-links = 各回の組は同時に通信した。スイッチのケーブルは、1回にそのホストが他へ送った量を運ぶとみなし、全スイッチは上位の1台でつながるとみなす。
place-note-rates-unknown = 速度の分からないケーブルがあるため、すべて同じとする。
place-note-unnamed = { $number }個のアダプタの記述にはホスト名がなく、GUIDで呼ぶ。
