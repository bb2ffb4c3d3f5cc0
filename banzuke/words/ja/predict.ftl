# 予測時間の内訳。

predict-on-latency = 通信の遅延
predict-on-spread = 最も遅いノードを待つ時間
predict-on-link = インターコネクト
predict-on-host-link = ホスト・アクセラレータ間のデータ転送
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

# 種類の異なるノードの併用。

predict-kind-left-out = { $kind }の{ $nodes }ノードは使用しない。使用すると{ $figure }ではなく{ $added }になる。理由：{ $why }
predict-kind-slows = { $kind }は全体を遅くする。使用しなければ{ $figure }ではなく{ $without }になる。理由：{ $why }
predict-kind-impossible = { $kind }の{ $nodes }ノードは、加えるとこの条件では実行できないため使用しない
predict-kind-costs = 加わる分より他のノードが失う分が多い
predict-kinds-kind = ノードの種類
predict-kinds-nodes = ノード数
predict-kinds-alone = 単独
predict-kinds-together = 上の行までとの合計
predict-kinds-added = 増分
predict-kinds-of-alone = 単独に対する増分の割合
predict-kinds-of = { $there }中{ $used }
