# 予測モデルが扱えない理由と注記。
unpredicted-why = { $problem }（{ $why }）
unpredicted-also = { $before }。{ $part }
unpredicted-storage = { $name }の記述に、ノードから利用できるストレージがない
unpredicted-storage-rate = { $name }の記述に、ストレージ領域「{ $area }」のバンド幅がない
unpredicted-memory-of = { $name }の記述に、{ $owner }のメモリ容量がない
unpredicted-zero = { $name }の記述では{ $key } = 0である
unpredicted-device-rate = { $name }には、性能が記述されたアクセラレータがない
unpredicted-no-devices = { $name }にはアクセラレータがない
unpredicted-graph = { $benchmark }：報告にはグラフのみで数値の記載がない
unpredicted-lengths = ベクトル長とノードあたりのランク数のいずれも記載がない
unpredicted-nodes = ノード数の記載がない
unpredicted-shared-file = プロセス間でファイルを共有したかどうかの記載がない
unpredicted-both-ways = 読み出しと書き込みを合わせた値であり、測定値ではない
unpredicted-ratio = 他の2つの性能値の比である
unpredicted-part = 1ノードの値でもアクセラレータ1台の値でもない
unpredicted-no-number = 数値の記載がない：{ $note }
unpredicted-blocking = 予測モデルがあるのはブロッキング操作{ $names }のみである
unpredicted-size = { $size } Bのサイズは測定していない
unpredicted-backend = { $backend }による処理は予測の対象外である
unpredicted-boxes = 性能に応じた、または指定された局所格子をもつランクは予測の対象外である
unpredicted-one-type = FFTの予測は1種類のノードのみを対象とする
unpredicted-solver-devices = アクセラレータ上のGeoFEMは予測の対象外である
unpredicted-devices-model = アクセラレータの予測モデルがない
unpredicted-placement = プロセス配置の規則であり、ネットワークの記述がない
unpredicted-storage-part = ストレージのどの部分を測定したかの記載がない
unpredicted-not-predicted = { $what }は予測の対象外である
unpredicted-not-finite = 計算結果が{ $value }である
unpredicted-cores = { $ranks }ランクはノードの{ $cores }コアを超える
unpredicted-threads = { $ranks }ランク × { $threads }スレッドはノードの{ $cores }コアを超える
unpredicted-has-cores = { $name }のノードは{ $cores }コアであり、{ $ranks }に足りない
unpredicted-it-has-cores = { $cores }コア
unpredicted-they-have = 合計{ $cores }コア
unpredicted-holds = { $name }の1ノードでは{ $ranks }ランクを実行できない
unpredicted-has-devices = { $name }のノードのアクセラレータは{ $devices }台であり、{ $asked }台ではない
unpredicted-device-ranks = { $name }：HPCGは{ $devices }台のアクセラレータそれぞれに1ランクを用いる
unpredicted-has-nodes = { $name }は{ $nodes }ノードであり、{ $asked }ノードではない
unpredicted-alone = 1ランクでは通信相手がない
unpredicted-processes = { $processes }プロセスは{ $nodes }ノードのコア数を超える
unpredicted-factors = { $ranks }ランクには2、3、5以外の素因数がある
unpredicted-short = n={ $n }は{ $ranks }ランクに対して短い
unpredicted-vectors = 長さ{ $n }のベクトル{ $vectors }本がメモリに収まらない
unpredicted-usable = 利用可能なメモリは{ $size }
unpredicted-can-be-used = 利用可能なメモリは{ $size }
unpredicted-arrays = 各{ $ranks }ランクに要素数n={ $n }の配列3本は確保できない
unpredicted-no-mesh = { $name }のメモリに収まるメッシュがない
unpredicted-core-memory = コアあたり{ $held } Bに対し、1節点に{ $taken } B必要
unpredicted-mesh = { $points }節点は{ $name }の1ノードのメモリに収まらない
unpredicted-they-take = { $memory }に対し{ $taken }必要
unpredicted-box = ランクあたり{ $x } x { $y } x { $z }の格子点はメモリに収まらない
unpredicted-local-grid = nx、ny、nz：局所格子{ $x } x { $y } x { $z }はHPCGの規則に反する
unpredicted-local-rule = 各辺は8の倍数、16以上、かつ最長の辺の8分の1以上
unpredicted-grid = { $x } x { $y } x { $z }プロセスは{ $ranks }ランクと一致しない
unpredicted-grid-ranks = プロセス格子p x q = { $p } x { $q }は{ $has }ランクであり、{ $ranks }ランクと一致しない
unpredicted-no-matrix = { $name }のメモリに収まる行列がない
unpredicted-to-be-filled = 全ランクで{ $size }を使用する
unpredicted-matrix = n = { $n }の行列は{ $name }のメモリに収まらない
unpredicted-matrix-memory = 行列は{ $matrix }、全ランクのメモリは{ $memory }
unpredicted-exchange = { $nodes }ノード間で通信する
unpredicted-smooth = ランク数の素因数を2、3、5に限るため、{ $all }ノードのうち{ $nodes }ノードで計算する
unpredicted-no-clock = 動作周波数の記述がないため、コアの処理のうちメモリアクセス以外を省いた
unpredicted-devices-only = プロセッサのメモリバンド幅の記述がないため、アクセラレータのみを対象とした
unpredicted-unbounded = ノードからストレージへの転送性能の記述がないため、制約として考慮しない
unpredicted-fits-memory = 1ノードの書き込み量がメモリに収まるため、fsyncなしではキャッシュにより高速になる
unpredicted-left-out = 全{ $ranks }ランクでは正方形に近いプロセス格子を構成できないため、{ $number }ランクを使用しない
unpredicted-fewer = ランク数を減らすか、pとqを指定する
unpredicted-streams = 行列がアクセラレータのメモリに収まらず、{ $columns }列をホストメモリに置いて分割転送する（計{ $size }）
unpredicted-exceeds = 行列がアクセラレータのメモリに収まらず、残りはプロセッサが可能な範囲で更新する
unpredicted-more-memory = 行列は、通常ジョブが利用できる容量を超えるメモリを要する
unpredicted-no-link = ホスト・アクセラレータ間リンクの記述がないため、転送待ちを考慮しない
unpredicted-no-matrix-rate = 行列を置くメモリのバンド幅の記述がないため、その待ちを考慮しない
unpredicted-one-public = { $family }ファミリの公表値は1機種のみであり、希少なファミリの予測幅を用いた
unpredicted-few-public = { $family }ファミリの公表値は{ $number }機種のみであり、希少なファミリの予測幅を用いた
unpredicted-no-probability = 予測区間に確率を示せない：{ $why }
unpredicted-and = { $before }、{ $part }
unpredicted-unlike-nodes = 異種ノード構成の公表値がない
unpredicted-other-code = 公表値はベンダー実装によるもので、{ $code }ではない
unpredicted-far-grid = 公表値は立方体に近いプロセス格子によるもので、{ $grid }ではない
unpredicted-small-matrix = 公表値はメモリの{ $share }以上を占める行列によるものである
unpredicted-scaled = 記述の値を{ $factor }倍を超えて変更した
unpredicted-contradiction = 記述に矛盾がある
unpredicted-unknown-family = { $kind ->
    [devices] アクセラレータ
   *[processors] プロセッサ
}の名称からファミリを、諸元から分類を特定できないため、全機種に共通の仮定を用い、予測の幅をさらに広げた
unpredicted-give = 指定するもの：{ $what }
unpredicted-no-public = { $family }ファミリの公表値がないため、類似の{ $kind ->
    [devices] アクセラレータ
   *[processors] プロセッサ
}の値を用い、予測の幅を広げた
unpredicted-no-public-name = この名称の{ $kind ->
    [devices] アクセラレータ
   *[processors] プロセッサ
}の公表値がないため、類似のものの値を用い、予測の幅を広げた
unpredicted-taken-for = { $name }の記述にある{ $rate }は、{ $family }ファミリのベクトル演算器と行列演算器のいずれの値でもないため、DGEMMで利用できる性能とみなす
