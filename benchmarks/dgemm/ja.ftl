# 仕様で英語で宣言した語。
dgemm-title = DGEMM
dgemm-metric-flop_rate = DGEMM
dgemm-plot-flop_rate-k = 内側次元kに対する演算性能
dgemm-check-residual-with-a-random-vector = 乱数ベクトルによる残差
resource-flops-fp64 = 倍精度演算性能
dgemm-register-rate = レジスタ内FMA演算性能
dgemm-without-memory = メモリアクセスなしの実測
dgemm-probed = { $library }によるDGEMMの短い測定
dgemm-metric-sum_of_parts = 単独測定の合計
dgemm-check-columns-not-computed-once-in-each-call = 各呼び出しで一度だけ計算されなかった列
bound-the-sum-of-the-groups-rates-each-measured-alone = 単独で測定した各ランク群の性能の合計
