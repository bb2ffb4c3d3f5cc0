# 仕様で英語で宣言した語。
gkv-title = GKVカーネル
gkv-metric-point_rate = GKV
gkv-metric-time = GKV実行時間
gkv-plot-time-kernel = カーネルの実行時間（最適化前後の比較）
gkv-check-error-of-the-integrals-over-its-bound = 積分の誤差／丸め誤差の上界
gkv-check-error-of-the-averages-over-its-bound = 磁気面平均の誤差／丸め誤差の上界
gkv-check-max-bracket-sum-over-modes-eps-ln-n-grad-psi-grad-f = ブラケットと全モード対の和との最大差 / (eps ln n |grad psi| |grad f|)
gkv-check-max-bracket-of-two-modes-known-eps-ln-n-grad-psi-grad-f = 2モードのブラケットと解析解との最大差 / (eps ln n |grad psi| |grad f|)
gkv-check-error-of-the-differences-over-its-bound = 差分の誤差／丸め誤差の上界

gkv-phase-fft = FFTと実空間での積
gkv-phase-fft-advice = モードの1面が2次キャッシュに収まる場合は演算律速となる。FFT単体の性能はbanzuke run fftで測定できる
gkv-phase-alltoall = 全対全通信
gkv-phase-alltoall-advice = MPIライブラリの全対全通信アルゴリズムを、MPICHでは環境変数（--env MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=...）、Open MPIでは起動オプション（--launcher-options）により変えて比べる。ランク数を減らしてスレッド数を増やすことも試す
gkv-phase-other = 並べ替え、および他スレッドを待つ時間
gkv-phase-other-advice = メモリ律速である。各ランクのメモリがランクの近くにあり、ラージページ上にあることを確認する
along-share-of-the-runs = 実行の進捗

# 自前の表の語。
gkv-kernel = カーネル
gkv-as-written = default
gkv-tuned = opt
gkv-fft = fft（{ $ranks }ランク×{ $threads }スレッド）
gkv-over = 実行時間比（{ $a }／{ $b }）
gkv-beside-caption = 双方が同一のパラメータで実行した各カーネルの1回の実行時間。それぞれ最速のプロセス配置と設定による。fftについては「不老」の性能評価報告と同じ区分の時間も示す。
gkv-ratio = 実行時間比（opt／default）
gkv-variants-caption = 素直に書いたコード（default）と最適化したコード（opt）の1回の実行時間。同一のコアで測定した。diff45のoptは本ソフトウェア独自のものであり、「不老」の性能評価報告（大島ほか、2020）にはない。fftのoptは、試したMPIライブラリの設定のうち最速のものであり、カーネル名の下に示す。

# 実行中の状態。
gkv-seen-points = 格子点数
gkv-seen-nxw = 実空間の格子点数nxw
gkv-seen-nyw = 実空間の格子点数nyw
gkv-seen-exchange_overlap = 通信中に計算した時間
gkv-unpredicted = 各部の律速要因が異なり、他の機械での各部の時間を示す公開値がない
