# 複数のベンチマークに共通するデータの形：処理ごとの時間、メッセージサイズに対する値、ランク対、行列群など。

views-where-time-went = 実行時間の内訳
views-phase = 処理
views-time = 時間
views-of-time = 時間比率
views-time-of-phases =
    { $launches ->
        [0] 処理ごとの時間（全ランクの平均）
       *[other] 処理ごとの時間（全ランクの平均、{ $launches }試行のうち中央値の試行）
    }
views-costly-phase = { $phase }
    .evidence = 実行時間の{ $share }を占める
    .confirm = { $advice }
views-explain = `banzuke explain { $benchmark }`に説明がある
views-slow-work = { $phase }が性能上限を下回る
    .evidence = { $phase }は{ $rate }、性能上限の{ $share }：{ $source }
    .confirm = { $advice }
views-slow-work-advice = ライブラリと、それに渡される行列の大きさを確認する
views-rate-over-progress = { $benchmark }：実行中の性能の推移
views-rate-over-progress-drawn = 最初の区間は{ $first }、最後の区間は{ $last }、最大は{ $most }。
views-rate-over-progress-caption =
    { $limited ->
        [yes] 区間ごとの性能。全区間では{ $whole }。破線：実測の上限値による性能上限。
       *[no] 区間ごとの性能。全区間では{ $whole }。
    }
views-limit-line = 性能上限 { $limit }
views-shares-over-progress = { $benchmark }：実行中の時間内訳の推移
views-shares-over-progress-drawn = { $phases }。
views-shares-over-progress-caption = 下から上へ表の順。全ランクの平均。実行の前半が全時間の{ $half }を占める。
views-phase-share = { $phase } { $share }
views-axis-of-time = 時間比率（%）
views-axis-percent = { $along }（%）
views-interval = { $begin }～{ $end }
views-tip-time = 時間
views-tip-rate = 性能

# ランクの対。

views-worse-together = { $metric }が他のランクとの間で通常の{ $ratio }倍悪く、互いの間では通常どおり
views-worse-rank = { $metric }が{ $partners }ランク中{ $slow }ランクとの間で通常の{ $ratio }倍悪い
views-worse-pair = { $metric }が{ $value }、同じ距離の他の対では{ $usual }（{ $distance ->
        [same-core] 同一コア
        [same-complex] 同一の最終レベルキャッシュ
        [same-numa] 同一NUMAノード
        [same-socket] 同一ソケット
        [other-socket] 異なるソケット
       *[other-node] 異なるノード
    }）
views-slow-together = { $ranks }は他の全ランクとの通信が遅い
    .evidence = { $seen }
    .confirm = 共有する部分（ノードのネットワークインタフェースとケーブル、スイッチと上流リンク）を確認する。単に距離が遠いだけであれば異常ではない
views-slow-rank = { $rank }の通信が遅い
    .evidence = { $seen }
    .confirm = 同じプロセッサで動作する他の処理、ノードのネットワークインタフェースとケーブルを確認する。別のプロセッサやノードに置き換えて測定する
views-slow-pair = { $pair }の間の通信が遅い
    .evidence = { $seen }
    .confirm = この対だけで測定し、改善しなければ両者間のリンクを確認する
views-slow =
    { $others ->
        [0] 遅延：{ $who }、{ $ratio }倍
       *[other] 遅延：{ $who }、{ $ratio }倍、ほか{ $others }件
    }
views-memory-of = { $host }の{ $device }
views-rank-on-processor = ランク { $rank }（{ $host }、プロセッサ { $processor }）
views-rank-on-host = ランク { $rank }（{ $host }）
views-rank = ランク { $rank }
views-ranks-on-hosts = ランク { $ranks }（{ $hosts }）
views-ranks = ランク { $ranks }
views-pair = { $a }と{ $b }
views-between-all-ranks = 全ランク間の{ $metric }
views-more = ほか{ $number }件
views-one-pair = { $figure }。対は1組のみで、比較対象がない。
views-no-slow-pair = 同じ距離の他の対より著しく遅い対はない。
views-pairs-drawn = { $benchmark }：全ランク間の{ $metric }
views-pairs-range =
    { $outliers ->
        [0] { $ranks }ランク、{ $low }～{ $high }。突出して遅い対はない。
       *[other] { $ranks }ランク、{ $low }～{ $high }。突出して遅いもの{ $outliers }件。
    }
views-pairs-caption = 色が濃いほど遅い。
views-pairs-blocks = 1マスは{ $side } × { $side }ランクで、その中で最も遅い値を示す。
views-pairs-framed = 枠：{ $who }。
views-axis-rank = ランク
views-tip-between = 対の一方
views-tip-and = 対の他方
views-method-of-pairs = 同じ距離にある正常な対より { $ratio } 倍以上遅く、そのばらつきも超える対を遅い対とし、対の過半が遅いランクを遅いランクとする。他の全ランクとは遅く互いには遅くないランクはまとめて示す。共有する部分が遅いか、距離が遠いことを意味する。多数の対が一様に遅い場合はネットワークの構成によるものとして挙げない。
