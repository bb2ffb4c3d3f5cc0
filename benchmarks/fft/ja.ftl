# 仕様で英語で宣言した語。
fft-title = FFT
fft-metric-flop_rate = FFT
fft-metric-time = FFT実行時間
fft-metric-cached_rate = コアのキャッシュ内でのFFT
fft-plot-flop_rate-n = 変換長に対する演算性能
fft-plot-flop_rate-layout = 並列構成ごとの演算性能
fft-check-max-inverse-x-eps-ln-n = 逆変換の最大誤差 / (eps ln n)
fft-check-max-pulse-known-eps-ln-n = 単位インパルスの変換の最大誤差 / (eps ln n)
fft-check-max-cached-known-eps-sqrt-n-ln-n = キャッシュ内での変換の最大誤差 / (eps sqrt(n) ln n)
resource-flops-fft = コアのキャッシュ内でのFFT性能

fft-phase-first = 列方向の変換
fft-phase-first-advice = キャッシュ内の変換の性能（cached_rate）を大きく下回る場合はメモリ律速であり、メモリの性能はbanzuke run streamで測定できる。各ランクのメモリがランクの近くにあり（NUMAノードごとに1ランク）、ラージページ上にあることを確認する
fft-phase-second = 行方向の変換
fft-phase-second-advice = キャッシュ内の変換の性能（cached_rate）を大きく下回る場合はメモリ律速であり、メモリの性能はbanzuke run streamで測定できる。各ランクのメモリがランクの近くにあり（NUMAノードごとに1ランク）、ラージページ上にあることを確認する
fft-phase-reorder = 通信用データの並べ替え
fft-phase-reorder-advice = メモリ律速であり、入出力を自然順に並べる場合にのみ必要となる。後続の処理が巡回順の出力をそのまま使えるならば、order=cyclicにより省ける
fft-phase-exchange = 全対全通信待ち
fft-phase-exchange-advice = 全対全通信の性能はbanzuke run collectivesで測定できる。order=cyclicでは全対全通信が3回から1回になる。ランク数を減らしてスレッド数を増やすことも試す
along-share-of-the-transforms = 変換の進捗

residual-constant-fft-kernel = キャッシュ内でのFFTのDGEMMに対する性能比
residual-constant-fft-cycle = FFTのコア1サイクル当たりの最大演算数
residual-constant-fft-exposed = メモリ転送と演算のうち短い方の、FFTの各パスで隠蔽されない割合
residual-constant-fft-message = 多数送信時の2通目以降のメッセージ時間の比
residual-constant-fft-hpcc_kernel = FFTEのカーネルのコア1サイクル当たりの演算数
residual-constant-fft-hpcc_passes = FFTEの各パスのTriadに対する性能比
residual-constant-fft-hpcc_transposed = 1コアのコピー性能に対する、FFTEの最初の転置の性能比
residual-constant-fft-core = 1コア単独でのデータ転送性能
residual-constant-fft-line = キャッシュラインの長さ

# 実行中の状態。
fft-seen-n1 = 分解した変換長n1
fft-seen-n2 = 分解した変換長n2
fft-seen-generation = データ生成時間
fft-seen-planning = プランニング時間
fft-seen-inverse = 逆変換の時間
fft-seen-exchange_overlap = 通信中に計算した時間
fft-seen-passes_with_computed_roots = 回転因子を計算するパス数
fft-place-pattern = フーリエ変換

# 予測モデルによる拒否と注記。
fft-backend = { $backend }による処理は予測の対象外である
fft-one-type = FFTの予測は1種類のノードのみを対象とする
fft-cores = { $ranks }ランク × { $threads }スレッドはノードの{ $cores }コアを超える
fft-factors = { $ranks }ランクには2、3、5以外の素因数がある
fft-nodes = ランク数の素因数を2、3、5に限るため、{ $all }ノードのうち{ $nodes }ノードで計算する
fft-short = { $n }は{ $ranks }ランクに対して短い
fft-vectors = 長さ{ $n }のベクトル{ $vectors }本がメモリに収まらない
fft-usable = 利用可能なメモリは{ $size }
