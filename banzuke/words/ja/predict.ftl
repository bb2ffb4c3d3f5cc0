# 予測時間の内訳。

predict-on-latency = 通信の遅延
predict-on-spread = 最も遅いノードを待つ時間
predict-on-link = インターコネクト
predict-on-host-link = ホスト・デバイス間転送
predict-on-noise = OSノイズ
predict-on-cycles = コアの処理（メモリ以外）
predict-on-core = 1スレッドで実行するループ
predict-on-clients = ストレージのクライアント
