# 仕様で英語で宣言した語。
transfer-title = ホスト・デバイス間転送
transfer-metric-bandwidth = バンド幅
transfer-metric-latency = 遅延時間
transfer-metric-host_bandwidth = ホストとの対のバンド幅
transfer-metric-device_bandwidth = デバイス対のバンド幅
transfer-metric-linked_bandwidth = 直結デバイス対のバンド幅
along-transfer-size = 転送サイズ
resource-link-host = ホスト・デバイス間リンクのバンド幅
resource-link-peer = デバイス間リンクのバンド幅
transfer-check-wrong-bytes = 誤りのあるバイト数
