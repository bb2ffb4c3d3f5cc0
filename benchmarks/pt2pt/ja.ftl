# 仕様で英語で宣言した語。
pt2pt-title = 一対一通信
pt2pt-metric-latency = 遅延時間
pt2pt-metric-bandwidth = バンド幅
pt2pt-metric-random_ring_latency = ランダムリングの遅延時間
pt2pt-metric-random_ring_bandwidth = ランダムリングのバンド幅
pt2pt-metric-natural_ring_latency = 自然順リングの遅延時間
pt2pt-metric-natural_ring_bandwidth = 自然順リングのバンド幅
pt2pt-metric-ping_pong_latency = ランク対の遅延時間
pt2pt-metric-ping_pong_bandwidth = ランク対のバンド幅
resource-link-bytes = ホストのリンクバンド幅
pt2pt-check-wrong-bytes = 誤りのあるバイト数
bound-a-direct-copy-through-shared-memory-between-the-same-ranks = 同じランク間の共有メモリによる直接コピー
bound-the-rate-of-the-network-link = ネットワークのリンク速度

# 実行中の状態。
pt2pt-seen-pair_messages = 1対あたりのメッセージ数
pt2pt-seen-pair = 1対あたりの転送量
pt2pt-seen-alone_messages = 単独で通信する対の全メッセージ数
pt2pt-seen-alone = 単独で通信する対の全転送量
pt2pt-seen-ranks_of_one_processor = 同じプロセッサを共有したランク
pt2pt-unpredicted = 他の予測の出発点となる値である
