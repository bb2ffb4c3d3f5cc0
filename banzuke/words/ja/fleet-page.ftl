# ノード群の章：同じ条件で測定したノードのうち、遅いものとその原因
fleet-title = ノードの健全性
fleet-over-nodes = ノードごとの測定値
fleet-between-nodes = ノード間のリンク
fleet-types = ノード種別と設定
fleet-how = 判定の方法
fleet-node = ノード
fleet-nodes = ノード数
fleet-figure = 測定項目
fleet-type = ノード種別
fleet-place = ラックまたはスイッチ
fleet-no-place = 場所不明
fleet-link = リンク
fleet-setting = 設定
fleet-value = 測定値
fleet-usual = 通常値
fleet-below = 低下率
fleet-sigmas = 偏差（σ）
fleet-median = 中央値
fleet-spread = ばらつき
fleet-slowest = 最低
fleet-fastest = 最高
fleet-passed = 合格
fleet-failed = 不合格
fleet-unknown = 判定不能
fleet-seen = 観測結果
fleet-causes = 考えられる原因
fleet-action = 対処
fleet-type-unknown = 不明
fleet-cores = { $cores }コア
fleet-nodes-of-types =
    { $types ->
        [1] 全{ $nodes }ノード（1種別）。
       *[other] 全{ $nodes }ノード（{ $types }種別）を種別ごとに判定した。
    }
fleet-counted = 合格{ $passed }、不合格{ $failed }、判定不能{ $unknown }。
fleet-counted-links =
    { $slow ->
        [0] 測定した{ $links }本のリンクに遅いものはない。
       *[other] 測定した{ $links }本のリンクのうち{ $slow }本が遅い。
    }
fleet-damaged = 測定ファイルの破損した{ $lines }行は除外した。
fleet-state = { $state ->
        [hung] 無応答：開始したが時間内に終了しなかった
        [dead] 停止：プログラムを起動できなかった
        [failed] 失敗：プログラムの異常終了または検証の不合格
       *[other] 未測定
    }
fleet-state-why = { $state }（{ $why }）
fleet-slower = { $figure }：{ $against ->
        [baseline] 基準値
       *[other] 通常値
    }より{ $share }遅い（{ $sigmas }σ）
fleet-of-limit = { $figure } { $value }（理論性能{ $limit }の{ $share }）
fleet-more = ほか{ $number }項目
fleet-nodes-there = { $nodes }ノード
fleet-failed-nodes = 不合格のノード
fleet-slow-links = 遅いリンク（両端のノードは他のノードとの通信では正常）
fleet-slow-places = 全体に遅いラックまたはスイッチ
fleet-slow-crossings = ほかのすべてとの通信が遅いスイッチまたはラック（上位へのケーブルを確認する）
fleet-slow-cables = 遅いスイッチ間ケーブル（前者から後者への通信が分担の割に遅い）
fleet-cable = ケーブル
fleet-cable-of = { $ends }、{ $among }本中{ $number }本目
fleet-cable-or-switch = { $ends }、ケーブルまたはスイッチ
fleet-pairs-there = { $pairs }組
fleet-routes = ケーブルは、トポロジから求めた経路で判定する。{ $rule }
fleet-routes-adaptive = 個々のケーブルは判定しない。適応ルーティングでは組の経路が1つに決まらない。
fleet-routes-adapters = 個々のケーブルは判定しない。ホストに複数のケーブルがあり、どれを通ったか分からない。
fleet-routes-uplinks = 個々のケーブルは判定しない。トポロジに上位へのケーブルの数がない。
fleet-no-routes = 個々のケーブルは判定しない：{ $why }
fleet-shifts = 全ノードが基準値より遅い種別
fleet-first = { $of }件のうち先頭の{ $shown }件。
fleet-figures-caption = 種別ごとの各測定項目の分布。ばらつきは中央値に対するロバスト標準偏差。
fleet-figures-of-one = 測定項目
fleet-types-caption = ノード種別（ハードウェア構成が一致するノードを同じ種別とする）
fleet-settings-caption = 同じ種別のノード間で異なる設定
fleet-most-have = 多数の値
fleet-others-have = その他の値
fleet-value-nodes = { $value }（{ $nodes }ノード）
fleet-more-values = ほか{ $number }種類
fleet-of-median = 中央値比
fleet-median-and-lowest = 中央値{ $median }、最低{ $lowest }
fleet-map = ノードごとの各測定項目
fleet-map-shows = { $nodes }ノードの{ $figures }項目。最も低いのは{ $node }の{ $figure }で、中央値の{ $share }。
fleet-map-caption = 同じ種別のノードの中央値に対する比。小さいほど遅い。3標準偏差以内の偶然の差は中央値と同じ色で示す。
fleet-map-groups = ノードはラックと名前の順に並べ、各マスは列に含まれるノードの中央値を示す。
fleet-map-framed = 枠は不合格のノード。
fleet-distribution = 中央値に対する各ノードの分布
fleet-distribution-shows = { $figures }項目のヒストグラム。中央値の{ $low }から{ $high }まで。印を付けたノードは{ $named }台。
fleet-distribution-caption = 同じ種別の中央値に対する比ごとのノード数。各行の高さは最も多い階級を基準とする。ひし形はその項目で遅いノード。中央値から{ $farthest }を超えて離れたノードは端に示す。
fleet-percent-of-median = 中央値比（%）
fleet-links = リンク：{ $figure }
fleet-links-shows = { $links }本のリンク。最も遅いものは中央値の{ $share }。
fleet-links-caption = 測定した全リンクの中央値{ $middle }に対する比。空白は未測定。
fleet-links-blocks = 各マスは{ $nodes }ノードずつの間で最も遅いリンクを示す。
fleet-method = 各ノードは、同じ種別のノードまたはその基準値と、全測定項目を併せて比較する。どれだけ離れれば異常とするかは、他のノードのばらつきと分布の裾から定め、ノード数によらず、正常なノード群から異常が報告される確率を低く保つ。検証に合格しなかった測定値は用いない。
