# 仕様で英語で宣言した語。
gups-title = GUPS
gups-metric-update_rate = ランダム更新性能
gups-plot-update_rate-n = 表の大きさに対する更新性能
gups-check-share-of-wrong-words = 誤った語の割合
gups-check-wrong-bits-of-the-checksum = チェックサムの誤ったビット数
gups-unpredicted = コアとメモリが同時に処理できる読み出しの数が仕様に書かれていない
