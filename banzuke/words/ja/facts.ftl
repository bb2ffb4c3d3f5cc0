# 値の書き方。
fact-not-finite = 有限値でない
fact-span = { $first }～{ $last }
fact-hours = { $hours }時間{ $minutes ->
    [0] {""}
   *[other] { $minutes }分
}
fact-minutes = { $minutes }分{ $seconds ->
    [0] {""}
   *[other] { $seconds }秒
}
fact-date = %Y年%-m月%-d日
fact-comma = 、
fact-list = { $items }、{ $last }
fact-list-more = { $items }ほか{ $more }件
fact-next = 。
fact-full-stop = 。
fact-between-sentences = {""}
fact-derived-times = { $before } × { $term }
fact-derived-and = { $before }、{ $term }
fact-derived-also = { $before }。{ $part }
fact-derived-unknown = 不明：{ $what }
fact-derived-plus = { $before } + { $part }

# 理論性能の導出。マシンの記述は英語であり、項ごとに置き換える。
derived-channels = 全チャネルの幅×転送速度の和、{ $kind }
derived-one-way = { $link }（片方向、パケットのオーバーヘッドを含む）
derived-each-way = { $link }（片方向）
derived-partitions = 不明：アクセラレータは{ $number }個に分割されており、プログラムからはそれぞれが1個のアクセラレータに見える
derived-cores-of = { $number }コア（マシン全体は{ $all }コア）
derived-cores = { $number }コア
derived-kind-of = { $number }コア（{ $kind }、マシン全体は{ $all }コア）
derived-kind-cores = { $number }コア（{ $kind }）
derived-kind-alone = コア（{ $kind }）
derived-kind-up-to = { $kind }、最大{ $clock }
derived-kind-at = { $kind }、{ $clock }
derived-kind-capacity = { $kind }、処理能力{ $capacity }
derived-up-to = 最大{ $clock }
derived-capacity = 処理能力{ $capacity }
derived-performance = 高性能
derived-efficiency = 高効率
derived-low-power = 低電力
derived-nominal = { $clock }（公称）
derived-loaded = { $clock }（ベクトル演算の負荷時に実測）
derived-highest = { $clock }（最高）
derived-lanes = { $number }レーン（{ $simd }）
derived-units = FMA演算器{ $number }個
derived-units-seen = FMA演算器の数（実測で1サイクルあたり{ $rate }）
derived-quota = CPU割当上限により{ $number }プロセッサ分の時間のみ利用可能
derived-multiprocessors = { $number }マルチプロセッサ
derived-compute-units = { $number }コンピュートユニット
derived-slice = { $all }マルチプロセッサのうち{ $number }：{ $rest }
derived-matrix = 行列演算器の積和{ $number }回/サイクル（{ $of }）
derived-vector = 積和{ $number }回/サイクル（{ $of }）
derived-rates-of = { $of }の積和/サイクル
derived-unlike = 異種コアに共通の動作周波数と幅（{ $kinds }）
derived-clock = 動作周波数
derived-flop-per-cycle = サイクルあたりの演算数
derived-the-rate-of-the-matrix-units = 行列演算器の速度
derived-FMA-units = FMA演算器の数
derived-vector-width = ベクトル幅
derived-vector-width-no-vector-FMA-that-the-probe-knows = ベクトル幅（既知のベクトルFMA命令がない）
derived-2-flop = 2演算
derived-width = 幅
derived-rate = 転送速度
derived-transfers-per-clock = サイクルあたりの転送回数
derived-the-firmware-s-tables-of-memory-modules-cannot-be-read = ファームウェアのメモリモジュール情報を読み取れない
derived-the-slice-s-share-of-its-device-s = アクセラレータの性能のうちスライスが利用できる割合
derived-highest-clock = 最高動作周波数
derived-architecture = アーキテクチャ
derived-cores-alone = コア
derived-lanes-alone = レーン
derived-channels-alone = チャネル
derived-multiprocessors-alone = マルチプロセッサ
derived-compute-units-alone = コンピュートユニット
derived-multiply-adds-per-clock = サイクルあたりの積和
derived-width-or-rate = 幅または転送速度
derived-modules-of-unknown-kind = 種別不明のモジュール
derived-channels-unknown = チャネル数×幅×{ $kind }の転送速度。不明：チャネル数、幅または転送速度
derived-its-link = 接続リンク
derived-its-links = 接続リンク
derived-multiply-adds-per-clock-of-the-tensor-cores = 行列演算器のサイクルあたりの積和
derived-multiply-adds-per-clock-of-the-matrix-cores = 行列演算器のサイクルあたりの積和
derived-multiply-adds-per-clock-of-the-matrix-units = 行列演算器のサイクルあたりの積和
