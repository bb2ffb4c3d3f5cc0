# 仕様で英語で宣言した語。
hpl-title = HPL
hpl-metric-flop_rate = HPL
hpl-metric-time = HPL実行時間
hpl-plot-flop_rate-n = 行列サイズに対する演算性能
hpl-check-Ax-b-eps-A-x-b-N = ||Ax-b|| / (eps (||A|| ||x|| + ||b||) N)

hpl-phase-update = 後続行列の更新
hpl-phase-update-advice = banzuke run dgemmで内側次元ごとのライブラリの性能を調べ、最も速い値をnbに指定する。または--blasで別のライブラリを試す
hpl-phase-panel = パネル分解
hpl-phase-panel-advice = nが大きいほど比率は下がり、nbを小さくするとパネルの計算量が減る。パネルをもつのは常にプロセス格子の1列のみであり、列が複数あればlookahead=1により他の列は計算を続けられる
hpl-phase-pivot_exchange = ピボットの決定
hpl-phase-pivot_exchange-advice = 行列の1列ごとにプロセス格子の列方向の通信が1回必要となる。pを小さくqを大きくするか、ランク数を減らしてスレッド数を増やす
hpl-phase-transfer = アクセラレータからのパネル転送待ち
hpl-phase-transfer-advice = パネルはホストへ転送してプロセッサで分解する。アクセラレータの接続（banzuke run transfer）と、使用するコアがその近くにあることを確認する。nが大きいほど更新の間に隠れる部分が増える
hpl-phase-broadcast_wait = パネル受信待ち
hpl-phase-broadcast_wait-advice = lookahead=1では更新の間にパネルが転送される。ネットワークに対してパネルが大きい場合はbroadcast=long、プロセス格子の列数が多い場合はtwo-ring-modifiedを試す。プロセス格子を正方形に近づけることも有効である
hpl-phase-swap = メモリ内の行交換
hpl-phase-swap-advice = メモリ律速のため、nが大きいほど比率は下がる。メモリがランクの近くにあり（NUMAノードごとに1ランク）、ラージページ上にあることを確認する
hpl-phase-swap_wait = 行交換の通信待ち
hpl-phase-swap_wait-advice = splitが0.3～0.7であれば、一方の行を転送する間に他方を更新する。swap=spread-roll、および小さいpと大きいqの組み合わせを試す
hpl-phase-thread_wait = スレッド間の待ち
hpl-phase-thread_wait-advice = 他のプロセス、CPU割当上限、コア間の動作周波数の差により一部のコアが遅れているか、スレッドあたりの計算量が不足している。nを大きくするか、ランク数を増やしてスレッド数を減らす
hpl-phase-solve = 後退代入
hpl-phase-solve-advice = メモリと通信が律速するが、計算量はn^2に比例するのみであり、nが大きいほど比率は下がる
along-share-of-the-columns-eliminated = 消去した列の割合

residual-constant-hpl-panel = DGEMMに対するパネル分解の性能比
residual-constant-hpl-inner = プロセッサのDGEMMの性能が半分になる内側次元
residual-constant-hpl-extent = プロセッサのDGEMMの性能が半分になる外側次元
residual-constant-hpl-progress = 計算中に転送されるパネルの割合
residual-constant-hpl-inside_latency = ノード内の最小メッセージの遅延
residual-constant-hpl-device_inner = アクセラレータのDGEMMの性能が半分になる内側次元
residual-constant-hpl-device_extent = アクセラレータのDGEMMの性能が半分になる外側次元

bound-the-sum-of-the-ranks-rates-of-products-measured-all-at-once = 全ランク同時に測定した行列積の性能の合計
hpl-column = 列{ $number }
hpl-grid-column = プロセス格子の列
hpl-grid-columns = プロセス格子の列
hpl-matrix = 行列の列
hpl-dgemm-rates = 行列積の性能
hpl-columns-corrected = 分担は、計測前の約1秒の試行で測った、主に通信など、行列積以外にかかる時間にも応じて決まる
hpl-ranks-of-kind = { $kind }の各ノードに{ $ranks }（各{ $rate }）
hpl-ranks-of-kinds = ランク数は{ $kinds }とする。各ランクは最も遅いランクを待つため、速いノードほど多い。その速さでは、全体で全ノードのDGEMM性能の合計{ $sum }の{ $pace }になる
hpl-idle-nodes = { $kind }の{ $nodes }ノード
hpl-grid-how = { $how ->
    [given] 指定どおり
    [columns] 正方形に近く、各ノードのランクは1つの列に入る
   *[square] 正方形に近い
}
hpl-grid-filled = ランクはプロセス格子{ $p } x { $q } = { $used }を満たす（{ $how }）
hpl-grid-filled-by-some = { $ranks }ランクのうち{ $used }ランクがプロセス格子{ $p } x { $q }を満たす（{ $how }）。そのため{ $idle }は使用しない
hpl-slower-ranks = そのランクの行列積は{ $rate }で、他のランクは{ $others }以上である
hpl-less-memory = そのランクのメモリは{ $bytes }で、他のランクは{ $others }以上である
hpl-more-ranks = 速いノードに最大{ $ranks }ランクが必要になり、1ランクあたりのコアとメモリが減る
hpl-left-out = { $kinds }のノードは最初のケースでは使用しない。全ランクが最も遅いランクを待つと、これらを含めて{ $with_them }、除くと{ $without }になる

# 実行中の状態。
hpl-seen-generation = 行列生成時間
hpl-seen-verification = 検証時間
hpl-seen-pivots = ピボット列のハッシュ値
hpl-seen-column_rates = 各列のDGEMM性能
hpl-seen-column_shares = 各列の分担
hpl-seen-column_limited = 分担の制限
hpl-seen-column = 各列の時間の内訳
hpl-seen-column_intervals = 各列の時間経過
hpl-seen-columns_in_host_memory = ホストメモリに置いた列数
hpl-seen-columns_of_a_slab = 1回に転送する列数
hpl-seen-slabs = 転送の分割数
hpl-seen-streamed_to_device = アクセラレータへの転送量
hpl-seen-streamed_to_host = ホストへの転送量
hpl-seen-host_memory = ホストメモリの準備時間
hpl-seen-host_memory_not_locked = ページ固定に失敗した理由
hpl-seen-panel_on = パネル分解の実行場所
hpl-seen-panel_host_probe = ホストでのパネル分解の試行時間
hpl-seen-panel_device_probe = アクセラレータでのパネル分解の試行時間
hpl-seen-device_update_rate = アクセラレータでの更新の性能
hpl-seen-device_idle = アクセラレータの待機時間
hpl-seen-device_wait = アクセラレータの転送待ち時間
hpl-seen-device_move = アクセラレータ内の行交換の時間
hpl-seen-device_solve = アクセラレータでの三角行列求解の時間
hpl-seen-device_update = アクセラレータでの更新の時間
hpl-grid-long = { $ranks }ランクでは正方形から遠い{ $p } x { $q }の格子しか作れない。{ $hosts }ノードであれば{ $rows } x { $columns }の格子となる
hpl-hosts-left-out = { $all }ノードのうち{ $hosts }ノードは使用しない。全{ $ranks }ランクでは正方形から遠い{ $rows } x { $columns }の格子しか作れない。{ $used }ランクで{ $p } x { $q }の格子とする
hpl-place-pattern = HPL
hpl-place-assumed = 段階の合計では、パネルは格子の行をリングとして回り、各ランクは受信してから送信する。交換する行は列方向に流れる。通信は計算に隠れないとする。ランクは格子の列方向に番号が進む。HPLはPMAPを列優先で起動する（本ツールでは--set order=column）。

# 予測モデルによる拒否と注記。
hpl-no-devices = { $name }には、FP64演算性能が記述されたアクセラレータがない
hpl-node-holds = { $name }の1ノードでは{ $ranks }ランクを実行できない
hpl-node-cores = { $cores }コア
hpl-grid-ranks = プロセス格子p x q = { $grid }は{ $has }ランクであり、{ $ranks }ランクと一致しない
hpl-no-memory = { $name }の記述に、{ $owner ->
    [devices] アクセラレータ
   *[nodes] ノード
}のメモリ容量がない
hpl-no-matrix = { $name }のメモリに収まる行列がない
hpl-to-be-filled = 全ランクで{ $size }を使用する
hpl-large-matrix = { $n }の行列は{ $name }のメモリに収まらない
hpl-memory = 行列は{ $matrix }、全ランクのメモリは{ $memory }
hpl-placement = プロセス配置の規則であり、ネットワークの記述がない
hpl-no-whole = { $setting }は{ $least }以上{ $most }以下の整数でない
hpl-no-share = { $setting }は0以上{ $most }以下の数でない
hpl-unknown = { $setting }は未知の値である
hpl-ranks-of-node = { $setting }を解釈できない
hpl-unfilled = ノードのランクではプロセス格子p x q = { $grid }を満たせない
hpl-fillable = 格子は{ $needed }ランク、ノードは種類ごとに{ $on_each }ランクで計{ $ranks }ランクであり、ノード単位で{ $share }まで除外できる
hpl-small-matrix = 公表値はメモリの{ $share }以上を占める行列によるものである
hpl-ranks-left-out = 全{ $ranks }ランクでは正方形に近いプロセス格子を構成できないため、{ $number }ランクを使用しない。ランク数を減らすか、pとqを指定する
hpl-streams = 行列がアクセラレータのメモリに収まらず、{ $columns }列をホストメモリに置いて分割転送する（計{ $size }）
hpl-exceeds-devices = 行列がアクセラレータのメモリに収まらず、残りはプロセッサが可能な範囲で更新する
hpl-exceeds-usual = 行列は、通常ジョブが利用できる容量を超えるメモリを要する
hpl-no-link = ホスト・アクセラレータ間リンクの記述がないため、転送待ちを考慮しない
hpl-no-bandwidth = 行列を置くメモリのバンド幅の記述がないため、その待ちを考慮しない
