# 仕様で英語で宣言した語。
geofem-title = GeoFEM-Cube
geofem-metric-flop_rate = GeoFEM-Cube
geofem-metric-time = GeoFEM-Cube実行時間
geofem-metric-iterations = GeoFEM-Cube反復回数
geofem-plot-time-layout = 並列構成ごとの実行時間
geofem-plot-iterations-colours_used = 色数に対する反復回数
geofem-plot-time-colours_used = 色数に対する実行時間
geofem-plot-flop_rate-colours_used = 色数に対する演算性能
geofem-check-largest-u-exact-u-edge-of-the-cube = 最大|u－厳密解|／立方体の一辺
geofem-check-b-A-u-b = ||b - A u|| / ||b||
geofem-check-nodes-without-exactly-one-rank = 受け持つランクがちょうど1つではない節点

geofem-phase-precondition = 前処理
geofem-phase-precondition-advice = メモリ律速であり、色ごとに最も遅いスレッドを待つ。色数またはランクあたりのスレッド数を減らす
geofem-phase-spmv = 疎行列ベクトル積
geofem-phase-spmv-advice = メモリ律速であり、メモリの性能はbanzuke run streamで測定できる。各ランクのメモリがランクの近くにあり、ラージページ上にあることを確認する
geofem-phase-vectors = ベクトル更新と内積
geofem-phase-halo_wait = 袖通信
geofem-phase-halo_wait-advice = ランク数を減らしてスレッド数を増やし、立方体のうち領域表面に位置する部分を小さくする
geofem-phase-allreduce = Allreduce
geofem-phase-allreduce-advice = 先に到達したランクが他のランクを待つ。遅いコアや他のプロセスの有無を調べ、ランク数を減らしてスレッド数を増やす
along-share-of-the-iterations = 反復の進行
residual-constant-geofem-loads = Triadの性能に対する、GeoFEMの読み出し性能の割合
residual-constant-geofem-reads = 読み出しだけの実測性能に対する、GeoFEMの性能の割合
residual-constant-geofem-exposed = GeoFEMの袖領域交換のうち隠蔽されない割合
bound-the-sum-of-the-ranks-rates-of-iterations-on-cubes-of-their-own-measured-all-at-once = 全ランク同時に各自の立方体で測定した反復の性能の合計
geofem-layer = 層{ $number }
geofem-ranks-layer = ランクの層
geofem-ranks-layers = ランクの層
geofem-nodes = 節点
geofem-iteration-rates = 各自の立方体での反復の性能

# 実行中の状態。
geofem-seen-nodes = 節点数
geofem-seen-px = x方向のランク数
geofem-seen-py = y方向のランク数
geofem-seen-pz = z方向のランク数
geofem-seen-colours_used = 使用した色数
geofem-seen-fill = 行列の充填率
geofem-seen-error = 解の最大誤差
geofem-seen-residual = 相対残差
geofem-seen-layer_rates = 各層の反復性能
geofem-seen-layer_shares = 各層の分担
geofem-seen-layer_limited = 分担の制限
geofem-seen-layer = 各層の時間の内訳

# 予測モデルによる拒否と注記。
geofem-devices = アクセラレータ上のGeoFEMは予測の対象外である
geofem-no-model = アクセラレータの予測モデルがない
geofem-no-mesh = { $name }のメモリに収まるメッシュがない
geofem-core = コアあたり{ $held }に対し、1節点に{ $taken }必要
geofem-mesh = { $points }節点は{ $name }の1ノードのメモリに収まらない
