# 仕様で英語で宣言した語。
dgemm-title = DGEMM
dgemm-metric-flop_rate = DGEMM
dgemm-plot-flop_rate-k = 内側次元kに対する演算性能
dgemm-check-residual-with-a-random-vector = 乱数ベクトルによる残差
resource-flops-fp64 = 倍精度演算性能
dgemm-register-rate = レジスタ内FMA演算性能
dgemm-without-memory = メモリアクセスなしの実測
dgemm-probed = { $library }によるDGEMMの短い測定
