# 予測時間の内訳。

predict-on-latency = 通信の遅延
predict-on-spread = 最も遅いノードを待つ時間
predict-on-link = インターコネクト
predict-on-host-link = ホスト・デバイス間転送
predict-on-noise = OSノイズ
predict-on-cycles = コアの処理（メモリ以外）
predict-on-core = 1スレッドで実行するループ
predict-on-clients = ストレージのクライアント
predict-undescribed = { $of }の記述に{ $what ->
    [flop-rate] 演算性能
    [flop-rate-of-its-processors] プロセッサの演算性能
    [memory-bandwidth-of-its-processors] プロセッサのメモリバンド幅
    [memory-bandwidth-of-its-devices] アクセラレータのメモリバンド幅
    [bandwidth-of-the-interconnect] ネットワークのバンド幅
    [numbers-from-which-a-figure-follows] 値を計算するための数値
   *[number-of-cores] コア数
}がない
