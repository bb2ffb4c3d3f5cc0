# 仕様で英語で宣言した語。
spmv-title = SpMV
spmv-metric-flop_rate = SpMV
spmv-metric-conversion_time = 形式変換時間
spmv-check-largest-rounding-error-over-its-bound = 丸め誤差の上界に対する最大比

spmv-collection = 行列
spmv-statistic-nonzeros = 非ゼロ要素数
spmv-statistic-rows = 行数
spmv-statistic-columns = 列数
spmv-statistic-row_mean = 行あたり平均非ゼロ要素数
spmv-statistic-row_cv = 行の変動係数
spmv-statistic-row_max = 最長行
spmv-statistic-empty_rows = 空行数
spmv-statistic-bandwidth = 帯幅
spmv-statistic-x_lines = 非ゼロ要素あたりのxのライン数
spmv-statistic-working_set = ワーキングセット
spmv-statistic-fill = 充填率

# 実行中の状態。
spmv-seen-rows = 行数
spmv-seen-columns = 列数
spmv-seen-nonzeros = 非ゼロ要素数
spmv-seen-row_max = 最長行
spmv-seen-empty_rows = 空行数
spmv-seen-bandwidth = 帯幅
spmv-seen-x_lines = 非ゼロ要素あたりのxのライン数
spmv-seen-row_mean = 行あたり平均非ゼロ要素数
spmv-seen-row_cv = 行の変動係数
spmv-seen-products_per_sample = 1標本あたりの積の回数
spmv-seen-format = 格納形式
spmv-seen-fill = 充填率
spmv-unpredicted = 行列によって決まり、モデルを検証できる公開値もない
