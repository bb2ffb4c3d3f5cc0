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

geofem-phase-precondition = 前処理
geofem-phase-precondition-advice = メモリ律速であり、色ごとに最も遅いスレッドを待つ。色数またはランクあたりのスレッド数を減らす
geofem-phase-spmv = 疎行列ベクトル積
geofem-phase-spmv-advice = メモリ律速であり、メモリの性能はbanzuke run streamで測定できる。各ランクのメモリがランクの近くにあり、ラージページ上にあることを確認する
geofem-phase-vectors = ベクトル更新と内積
geofem-phase-halo_wait = 袖通信
geofem-phase-halo_wait-advice = ランク数を減らしてスレッド数を増やし、立方体のうち領域表面に位置する部分を小さくする
geofem-phase-allreduce = 全体集約
geofem-phase-allreduce-advice = 先に到達したランクが他のランクを待つ。遅いコアや他のプロセスの有無を調べ、ランク数を減らしてスレッド数を増やす
along-share-of-the-iterations = 反復の進行
residual-constant-geofem-loads = Triadの性能に対する、GeoFEMの読み込み性能の割合
residual-constant-geofem-exposed = GeoFEMの袖領域交換のうち隠蔽されない割合
