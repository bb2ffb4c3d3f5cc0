# 仕様で英語で宣言した語。
gups-title = GUPS
gups-metric-update_rate = ランダム更新性能
gups-plot-update_rate-n = 表の大きさに対する更新性能
gups-check-share-of-wrong-words = 誤った語の割合
gups-check-wrong-bits-of-the-checksum = チェックサムの誤ったビット数

# 実行中の状態。
gups-seen-updates = 全ランクの1回分の更新数
gups-seen-check = 検算の時間
gups-seen-table_words = 表の語数
gups-seen-method-load-xor-store = 読み出し、XOR、書き込み
gups-seen-method-hypercube-one-thread-a-rank = ハイパーキューブ（1ランク1スレッド）
gups-seen-method-atomic = 不可分操作
gups-unpredicted = コアとメモリが同時に処理できる読み出しの数が仕様に書かれていない
