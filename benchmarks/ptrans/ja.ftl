# 仕様で英語で宣言した語。
ptrans-title = PTRANS
ptrans-metric-transpose_rate = 転置
ptrans-metric-time = 1回の転置の時間
ptrans-plot-transpose_rate-layout = 並列構成ごとの転置性能
ptrans-check-wrong-elements = 誤った要素の数
along-share-of-the-transpositions = 転置の進捗

ptrans-phase-own = 自ランクのブロックの転置
ptrans-phase-own-advice = メモリ律速であり、メモリの性能はbanzuke run streamで測定できる。各ランクのメモリがランクの近くにあり、ラージページ上にあることを確認する。nbを変えるとキャッシュラインやページの利用効率が変わることがある
ptrans-phase-pack = 通信用データへの転置
ptrans-phase-pack-advice = メモリ律速であり、メモリの性能はbanzuke run streamで測定できる。各ランクのメモリがランクの近くにあり、ラージページ上にあることを確認する。nbを変えるとキャッシュラインやページの利用効率が変わることがある
ptrans-phase-add = 受信したブロックの加算
ptrans-phase-add-advice = メモリ律速であり、メモリの性能はbanzuke run streamで測定できる。各ランクのメモリがランクの近くにあり、ラージページ上にあることを確認する。nbを変えるとキャッシュラインやページの利用効率が変わることがある
ptrans-phase-exchange = 通信待ち
ptrans-phase-exchange-advice = 2ランク間の通信性能はbanzuke run pt2ptで測定できる。ランク数を減らしてスレッド数を増やすと、ランク内にとどまるブロックが増える

# 実行中の状態。
ptrans-seen-grid_rows = プロセス格子の行数
ptrans-seen-grid_columns = プロセス格子の列数
ptrans-unpredicted = モデルを検証できる公開値がない
