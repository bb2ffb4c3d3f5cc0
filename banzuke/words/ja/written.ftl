# 記録に英語で書かれた失敗・省略の理由。
reason-also = { $before }。{ $part }
reason-failed = 失敗：{ $why }
reason-skipped = 省略：{ $why }
reason-no-metric = { $metric }がない
reason-unit = 単位が{ $unit }ではなく{ $units }
reason-signal = シグナル{ $number }{ $name ->
    [none] {""}
   *[other] （{ $name }）
}により強制終了
reason-who-signal = { $who }がシグナル{ $number }（{ $name }）により強制終了
reason-memory-killed = メモリ不足の際にカーネルが行う
reason-memory-killed-limit = メモリ不足の際にカーネルが行う（{ $limits }）
reason-said = 出力：{ $text }
reason-limit = 時間制限{ $seconds }を超えたため終了させた
reason-limits = 時間制限{ $seconds }の{ $times }倍を超えたため終了させた
reason-last-step = 最後の処理：{ $step }
reason-time-left = 残り時間内に終了しなかった
reason-flooded = 出力が{ $size }を超えたため終了させた
reason-no-record = 記録を出力せずに終了（終了ステータス{ $status }）：{ $text }
reason-status = 記録の出力後に終了ステータス{ $status }で終了
reason-start = 起動できない：{ $text }
reason-check = 計算結果の検証に不合格
reason-checked = 計算結果の検証に不合格：{ $text }
reason-not-finite = 計算結果が有限値でない
reason-memory = メモリ不足：このランクが要求したのは{ $bytes } B
reason-memory-free = { $benchmark }（{ $parameters }）に必要なメモリは{ $needed }、現在利用可能なメモリは{ $total }中{ $usable }。より小さいサイズを指定する{ $fits ->
    [none] {""}
   *[other] （最大は{ $fits }）
}

# カーネルの設定。
kernel-distribution = ディストリビューション
kernel-firmware = ファームウェア
kernel-microcode = マイクロコード
kernel-preemption = プリエンプション
kernel-transparent-hugepages = Transparent Huge Pages
kernel-transparent-hugepages-defrag = Transparent Huge Pagesのデフラグ
kernel-reserved-hugepages = 予約済みラージページ数
kernel-numa-balancing = 自動NUMAバランシング
kernel-swappiness = swappiness
kernel-governor = 周波数ガバナー
kernel-smt = SMT
kernel-isolated-cpus = 分離したプロセッサ（isolcpus）
kernel-nohz-full = タイマ割り込みを止めたプロセッサ（nohz_full）
kernel-mitigations = 脆弱性の緩和策
kernel-clock-source = 時刻源（clocksource）
kernel-perf-event-paranoid = perf_event_paranoid
kernel-container = コンテナ
kernel-value-none = なし
kernel-value-voluntary = なし、または自発的
kernel-value-real-time = リアルタイム
kernel-value-full = 完全
kernel-value-dynamic = 動的
kernel-value-dynamic-mode = 動的（{ $mode }）
kernel-value-not-needed = 不要
kernel-value-mitigated = 有効：{ $names }
kernel-value-vulnerable = 未対策：{ $names }
kernel-value-some-vulnerable = 有効：{ $names }。未対策：{ $others }
kernel-value-dated = { $version }（{ $date }）

# 各ノードが報告する設定（`banzuke screen`）。
node-setting-bios = BIOS
node-setting-board = マザーボード
node-setting-boost = 周波数ブースト
node-setting-clock-source = 時刻源（clocksource）
node-setting-devices = アクセラレータ
node-setting-driver = 周波数ドライバ
node-setting-energy-preference = 電力性能の優先設定（energy_performance_preference）
node-setting-governor = 周波数ガバナー
node-setting-huge-pages = 予約済みラージページ数
node-setting-idle-states = アイドル状態（cpuidle）
node-setting-isolated = 分離したプロセッサ（isolcpus）
node-setting-kernel = カーネル
node-setting-microcode = マイクロコード
node-setting-mitigations = 脆弱性の緩和策
node-setting-numa-balancing = 自動NUMAバランシング
node-setting-numa-nodes = NUMAノード数
node-setting-offline = オフラインのプロセッサ
node-setting-smt = SMT
node-setting-thp = Transparent Huge Pages
node-setting-zone-reclaim = zone_reclaim_mode

# 記録にあるソフトウェア。
software-compiler = コンパイラ
software-flags = コンパイルオプション
software-mpi = MPIライブラリ
software-blas = BLASライブラリ
software-blas-path = BLASライブラリのパス
software-blas-choice = BLASライブラリの選択
software-library = ライブラリ
software-library-path = ライブラリのパス
software-kernels = カーネルの命令セット
software-panel-kernels = パネル分解の命令セット
software-nccl = NCCL
blas-also = { $before }。{ $part }
blas-fastest = 最速は{ $library }（{ $path }）、{ $rate }
blas-times = { $library }の{ $times }倍の性能
blas-times-linked = -lblasでリンクしたプログラムが用いる{ $library }（{ $path }）の{ $times }倍の性能
blas-faster = { $library }より{ $share }高速
blas-faster-linked = -lblasでリンクしたプログラムが用いる{ $library }（{ $path }）より{ $share }高速
blas-alike = { $library }との差はない
blas-alike-linked = -lblasでリンクしたプログラムが用いる{ $library }（{ $path }）との差はない
blas-set = 設定されている{ $names }により{ $library }の性能が{ $times }分の1になるため、本実行では解除した
blas-busy = その間、他のプロセスがプロセッサの{ $share }を使用しており、順位は正しくない可能性がある
blas-none = BLASライブラリが見つからない
blas-unusable = 利用可能なBLASライブラリが見つからない
blas-given = 不明

# 報告に記載された値。
printed-rank = { $year }年{ $month }月の{ $place }位
printed-edition = { $year }年{ $month }月
printed-about = 約{ $amount }
printed-times-more = 毎秒{ $number }回以上
printed-more = { $amount }以上
printed-times-second = 毎秒{ $number }回
printed-times = { $number }倍
printed-mostly = ほとんどが{ $amount }以下
printed-most = { $amount }以下
