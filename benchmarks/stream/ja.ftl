# 仕様で英語で宣言した語。
stream-title = STREAM
stream-metric-triad_bandwidth = STREAM Triad
stream-metric-copy_bandwidth = STREAM Copy
stream-metric-scale_bandwidth = STREAM Scale
stream-metric-add_bandwidth = STREAM Add
stream-metric-dot_bandwidth = STREAM Dot
stream-plot-triad_bandwidth-threads = スレッド数に対するバンド幅
stream-check-mean-relative-error-of-the-arrays = 配列の平均相対誤差
stream-check-relative-error-of-the-dot-products = 内積の相対誤差
resource-memory-bytes = メモリバンド幅
resource-memory-loads = 読み出しのみのメモリバンド幅
residual-constant-stream-copy = キャッシュを介さないストアにおける、Triadに対するCopyとScaleの性能の割合

# 実行中の状態。
stream-seen-stores = 書き込み方法
stream-seen-stores-nontemporal = キャッシュを介さないストア
stream-seen-stores-plain = 通常のストア

# 予測モデルによる拒否と注記。
stream-no-devices = { $name }にはアクセラレータがない
stream-devices = { $name }のノードのアクセラレータは{ $devices }台であり、{ $asked }台ではない
stream-arrays = 各{ $ranks }ランクに要素数{ $n }の配列3本は確保できない
stream-usable = 利用可能なメモリは{ $size }
