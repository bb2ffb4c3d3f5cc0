# 仕様で英語で宣言した語。
transfer-title = アクセラレータのデータ転送
transfer-metric-bandwidth = バンド幅
transfer-metric-latency = 遅延時間
transfer-metric-host_bandwidth = ホスト・アクセラレータ間バンド幅
transfer-metric-device_bandwidth = アクセラレータ間バンド幅
transfer-metric-linked_bandwidth = アクセラレータ間バンド幅（直結リンク）
along-transfer-size = 転送サイズ
noun-transfer = 転送
noun-Transfers = 転送回数
resource-link-host = ホスト・アクセラレータ間リンクのバンド幅
resource-link-peer = アクセラレータ間リンクのバンド幅
transfer-check-wrong-bytes = 誤りのあるバイト数
transfer-case = ケース
transfer-chunk = 分割サイズ
transfer-figure = 中央値
transfer-chunks = パイプライン転送の分割サイズ
transfer-chunks-caption = 最大サイズの転送で試行した分割サイズとその値。先頭に示す最速の分割サイズを全サイズで用いた。

# 実行中の状態。
transfer-seen-chunk = 分割サイズ
transfer-seen-transfer_size = 1回の転送量
transfer-seen-transferred = 全転送量
transfer-seen-queued_operations = 発行した転送数
transfer-seen-pairs_by_host = ホスト経由で転送した対の数
transfer-unpredicted = 他の予測の出発点となる値である
