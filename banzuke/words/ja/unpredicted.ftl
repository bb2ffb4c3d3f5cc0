# 複数のモデルに共通の拒否と注記。各モデル固有のものはベンチマークのフォルダにある。
unpredicted-why = { $problem }（{ $why }）
unpredicted-benchmark = { $name }は予測の対象外である
unpredicted-no-figure = { $name }の記述からは値を計算できない
unpredicted-not-finite = 計算結果が{ $value }である
unpredicted-zero = { $name }の記述では{ $key } = 0である
unpredicted-exchange = { $nodes }ノード間で通信する
unpredicted-has-nodes = { $name }は{ $nodes }ノードであり、{ $asked }ノードではない
unpredicted-has-cores = { $name }のノードは{ $cores }コアであり、{ $asked }に足りない
unpredicted-they-take = { $memory }に対し{ $taken }必要
unpredicted-nodes = { $name }の{ $nodes }ノードでの{ $benchmark }の値がない
unpredicted-no-whole = { $setting }は{ $least }以上の整数でない
unpredicted-not-positive = { $setting }は正の数でない
unpredicted-unknown = { $setting }は未知の値である

unpredicted-few-public = { $family }ファミリの公表値は{ $machines }機種のみであり、希少なファミリの予測幅を用いた
unpredicted-unknown-family = { $kind ->
    [devices] アクセラレータ
   *[processors] プロセッサ
}の名称からファミリを、諸元から分類を特定できないため、全機種に共通の仮定を用い、予測の幅をさらに広げた。指定するもの：{ $kind ->
    [devices] node.devices.0.vendor
   *[processors] node.processors.0のmodel、またはcores、nominal_hz、peaks."flops.fp64"
}
unpredicted-no-public = { $family }ファミリの公表値がないため、類似の{ $kind ->
    [devices] アクセラレータ
   *[processors] プロセッサ
}の値を用い、予測の幅を広げた
unpredicted-no-public-name = この名称の{ $kind ->
    [devices] アクセラレータ
   *[processors] プロセッサ
}の公表値がないため、類似のものの値を用い、予測の幅を広げた
unpredicted-taken-for = { $name }の記述にある{ $rate }は、{ $family }ファミリのベクトル演算器と行列演算器のいずれの値でもないため、DGEMMで利用できる性能とみなす。指定するもの：node.devices.0.peaks."flops.fp64_matrix"

unpredicted-no-probability = 予測区間に確率を示せない：{ $why }
unpredicted-and = { $before }、{ $part }
unpredicted-unlike-nodes = 異種ノード構成の公表値がない
unpredicted-small = シングルボード機、ノートPC、デスクトップ、ワークステーションの公表値がない
unpredicted-scaled = 記述の値を{ $factor }倍を超えて変更した
unpredicted-contradiction = 記述に矛盾がある
