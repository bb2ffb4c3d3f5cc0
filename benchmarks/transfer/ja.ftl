# 仕様で英語で宣言した語。
transfer-title = データ転送
transfer-metric-bandwidth = バンド幅
transfer-metric-latency = 遅延
along-transfer-size = 転送サイズ
resource-link-host = デバイスとホスト間のリンクバンド幅
resource-link-peer = デバイス間のリンクバンド幅
transfer-check-wrong-bytes = 誤りのあるバイト数
