# 仕様で英語で宣言した語。
collectives-title = 集団通信
collectives-metric-latency = 呼び出し時間
collectives-metric-slowest_latency = 最も遅いランクの呼び出し時間
collectives-metric-fastest_rank = 最も速いランクの平均
collectives-metric-slowest_rank = 最も遅いランクの平均
collectives-metric-pure_latency = 計算を伴わない呼び出し時間
collectives-metric-compute_time = 重ね合わせた計算の時間
collectives-metric-start_time = 通信の開始に要する時間
collectives-metric-wait_time = 完了待ちの時間
collectives-metric-overlap = 通信隠蔽率
collectives-check-elements-that-a-call-left-wrong = 誤りのある要素数
collectives-check-ranks-that-left-a-barrier-before-all-had-come = 全ランクの到達前にバリアを抜けたランク数

# 予測の定数。
residual-constant-collectives-local = ノード内の近接する2ランク間のメッセージの所要時間
residual-constant-collectives-core = 1コア単独でのデータ転送性能
residual-constant-collectives-message = 多数送信時の2通目以降のメッセージ時間の比

# 実行中の状態。
collectives-seen-calls = 呼び出し回数
collectives-seen-blocks = 測定ブロック数
collectives-seen-call = 1ランクの転送量

# 予測モデルによる拒否と注記。
collectives-blocking = 予測モデルがあるのはブロッキング操作{ $names }のみである
collectives-size = { $size }のサイズは測定していない
collectives-cores = { $ranks }ランクはノードの{ $cores }コアを超える
collectives-alone = 1ランクでは通信相手がない
