# 複数のベンチマークに共通するデータの形：処理ごとの時間、サイズに対する値、ランク対、行列群など。

views-where-time-went = 実行時間の内訳
views-phase = 処理
views-time = 時間
views-of-time = 時間比率
views-time-of-phases =
    { $launches ->
        [0] 計測区間全体における処理ごとの時間（全ランクの平均）
       *[other] 計測区間全体における処理ごとの時間（全ランクの平均、{ $launches }試行のうち中央値の試行）
    }
views-costly-phase = { $phase }の時間
    .evidence = 実行時間の{ $share }を占める
    .confirm = { $advice }
views-explain = `banzuke explain { $benchmark }`に説明がある
views-slow-work = { $phase }が性能上限を下回る
    .evidence = { $phase }は{ $rate }、性能上限の{ $share }：{ $source }
    .confirm = { $advice }
views-slow-work-advice = ライブラリと、それに渡される行列の大きさを確認する
views-phases-of-cases = 計測区間全体における処理ごとの時間（ケース別、全ランクの平均）
views-phases-drawn = { $benchmark }：ケース別の実行時間の内訳
views-phases-description = { $cases }件、最長は{ $longest }。
views-phases-caption = 計測区間全体の時間。全ランクの平均。
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

views-worse-together = { $metric }が他の{ $of ->
        [memories] メモリ
       *[ranks] ランク
    }との間で通常の{ $ratio }倍劣り、互いの間では通常どおり{ $way ->
        [out] （送信）
        [in] （受信）
       *[both] {""}
    }
views-worse-rank = { $metric }が{ $partners }{ $of ->
        [memories] 個のメモリのうち{ $slow }個
       *[ranks] ランク中{ $slow }ランク
    }との間で通常の{ $ratio }倍劣る{ $way ->
        [out] （送信）
        [in] （受信）
       *[both] {""}
    }
views-worse-pair = { $metric }が{ $value }、同じ距離の他の対では{ $usual }（{ $distance ->
        [same-core] 同一コア
        [same-complex] 同一の最終レベルキャッシュ
        [same-numa] 同一NUMAノード
        [same-socket] 同一ソケット
        [other-socket] 異なるソケット
        [nvlink] NVLink
        [xgmi] XGMI
        [switch] 同一のPCI Expressスイッチ
        [bridge] 同一のホストブリッジ
        [node] 同一NUMAノード
        [system] 異なるNUMAノード
        [devices] アクセラレータ間
        [device-host] アクセラレータとホスト
       *[other-node] 異なるノード
    }）
views-slow-together = { $way ->
        [out] { $ranks }は他の全ランクへの送信が遅い
        [in] { $ranks }は他の全ランクからの受信が遅い
       *[both] { $ranks }は他の全ランクとの通信が遅い
    }
    .evidence = { $seen }
    .confirm = 共有する部分（ノードのネットワークインタフェースとケーブル、スイッチと上流リンク）を確認する。単に距離が遠いだけであれば異常ではない
views-slow-rank = { $way ->
        [out] { $rank }の送信が遅い
        [in] { $rank }の受信が遅い
       *[both] { $rank }の通信が遅い
    }
    .evidence = { $seen }
    .confirm = 同じプロセッサで動作する他の処理、ノードのネットワークインタフェースとケーブルを確認する。別のプロセッサやノードに置き換えて測定する
views-slow-memory = { $memory }の転送が遅い
    .evidence = { $seen }
    .confirm = アクセラレータのスロット、ライザ、リンク（lspci -vvのLnkSta）と、アクセラレータを使用する他の処理を確認する
views-slow-pair = { $way ->
        [out] { $pair }への通信が遅い
       *[both] { $pair }の間の通信が遅い
    }
    .evidence = { $seen }
    .confirm = この対だけで測定し、改善しなければ両者間のリンクを確認する
views-slow =
    { $others ->
        [0] 遅延：{ $who }{ $way ->
            [out] の送信
            [in] の受信
           *[both] {""}
        }、{ $ratio }倍
       *[other] 遅延：{ $who }{ $way ->
            [out] の送信
            [in] の受信
           *[both] {""}
        }、{ $ratio }倍、ほか{ $others }件
    }
views-memory-of =
    { $kind ->
        [host] { $host }のメモリ
       *[device] { $host }のアクセラレータ{ $device }
    }
views-memories = { $memories }
views-rank-on-processor = ランク { $rank }（{ $host }、プロセッサ { $processor }）
views-rank-on-host = ランク { $rank }（{ $host }）
views-rank = ランク { $rank }
views-ranks-on-hosts = ランク { $ranks }（{ $hosts }）
views-ranks = ランク { $ranks }
views-pair = { $way ->
        [out] { $a }から{ $b }
       *[both] { $a }と{ $b }
    }
views-pairs-sharing = ランク { $ranks }は、ホスト名は異なるがプロセッサを共有している。互いに待つための遅れはリンクの異常ではないため、判定しない。
views-clusters = { $alike ->
        [yes] { $most }
       *[no] { $fewest }～{ $most }
    }ランクのクラスタが{ $number }個：内部{ $within }、相互{ $between }{ $told ->
        [none] 。ファームウェアはこの構成を示していない。
        [same-complex] 。ファームウェアの構成と一致（同一の最終レベルキャッシュ）。
        [same-numa] 。ファームウェアの構成と一致（同一NUMAノード）。
       *[same-socket] 。ファームウェアの構成と一致（同一ソケット）。
    }
views-clusters-unseen = ファームウェアが示す{ $number }グループ（{ $told ->
        [same-complex] 同一の最終レベルキャッシュ
        [same-numa] 同一NUMAノード
       *[same-socket] 同一ソケット
    }）は遅延に現れていない。
views-clusters-apart = 遅延から見えるコアのクラスタがファームウェアの構成と異なる：遅延のみに{ $untold }階層、ファームウェアのみに{ $unseen }階層
views-between-all =
    { $of ->
        [memories] 全メモリ間の{ $metric }
       *[ranks] 全ランク間の{ $metric }
    }
views-more = ほか{ $number }件
views-one-pair = { $figure }。対は1組のみで、比較対象がない。
views-no-slow-pair = 同じ距離の他の対より著しく遅い対はない。
views-pairs-drawn =
    { $of ->
        [memories] { $benchmark }：全メモリ間の{ $metric }
       *[ranks] { $benchmark }：全ランク間の{ $metric }
    }
views-pairs-range =
    { $outliers ->
        [0] { $ranks }{ $of ->
            [memories] 個のメモリ
           *[ranks] ランク
        }、{ $low }～{ $high }。突出して遅い対はない。
       *[other] { $ranks }{ $of ->
            [memories] 個のメモリ
           *[ranks] ランク
        }、{ $low }～{ $high }。突出して遅いもの{ $outliers }件。
    }
views-pairs-caption = 色が濃いほど遅い。
views-pairs-blocks = 1マスは{ $side } × { $side }{ $of ->
        [memories] 個のメモリ
       *[ranks] ランク
    }で、その中で最も遅い値を示す。
views-pairs-framed = 枠：{ $who }。
views-axis-rank = ランク
views-axis-from = 転送元
views-axis-to = 転送先
views-axis-host = ホスト
views-tip-between = 対の一方
views-tip-and = 対の他方
views-method-of-pairs = 同じ距離にある正常な対より{ $ratio }倍以上遅く、そのばらつきも超える対を遅い対とし、対の過半が遅いランクを遅いランクとする。バンド幅は方向ごとに判定する。図の行は送信側、列は受信側のランクを表す。他の全ランクとは遅く互いには遅くないランクはまとめて示す。共有する部分が遅いか、距離が遠いことを意味する。多数の対が一様に遅い場合はネットワークの構成によるものとして挙げない。ホスト内のコアは、速い対でつながるものを1つのクラスタとし、次につながる対の遅延が{ $gap }倍以上になる所で区切る。

# サイズに対する値。

along-message-size = メッセージサイズ
noun-message = メッセージ
noun-Messages = メッセージ数
views-case = ケース
views-size = サイズ
views-samples = 標本数
views-median = 中央値
views-average = 平均
views-slowest-share = 遅い側 { $share }
views-slowest = 最遅
views-in-outliers = 外れ値の時間比率
views-of-limit = 上限性能比
views-of-peak = 理論性能比
views-of-link = リンク比
views-over = { $along }に対する{ $metric }
views-over-of-kind = { $along }に対する{ $metric }（{ $kind }）
views-of-kind = { $metric }（{ $kind }）
views-message-rate = メッセージレート：{ $figure }
views-title-of = { $benchmark }：{ $title }
views-medians = { $title }、中央値
views-all-sizes = 全サイズ：平均、遅い標本、外れ値
views-all-sizes-note = 全パーセンタイルと他の全指標は{ $file }にある。パーセンタイルは標本数が十分な場合のみ示す。「外れ値の時間比率」は、他より著しく遅い標本に費やされた時間の割合である。
views-regimes = nバイトの{ $of }の所要時間は α + n/β。プロトコルが変わるところで行を改める。β の半分にはn½ = αβ で達する。95%信頼区間が ±{ $sharp }より広いパラメータは、その幅で示す。
views-sizes-of-regime = サイズ
views-sizes = { $first }～{ $last }
views-deviation = 偏差
views-left-out = 除外
views-flat = 一定
views-half-interval =
    { $beyond ->
        [yes] ±{ $half }超
       *[no] ±{ $half }
    }
views-link = リンク：{ $rate }。「リンク比」は最大のサイズで達した割合。
views-curve-drawn = { $lines }本の線、{ $low }～{ $high }。
views-curve-caption =
    { $banded ->
        [yes] 中央値。帯は標本の中央90%の範囲。
       *[no] 中央値。
    }
views-curve-limits = 破線：{ $sources }。
views-curve-zero = 0 Bの値は表に示す。
views-axis-log = { $title }（対数）
views-axis-log-messages = メッセージ数 { $unit }（対数）
views-hidden = 計算による通信の隠蔽
views-hidden-drawn = 通信時間の{ $least }～{ $most }が計算により隠蔽される。
views-axis-hidden = 隠蔽率（%）
views-all-sizes-of-overlap = 全サイズ
views-overlap-medians = 非ブロッキング通信、中央値
views-alone = 通信のみ
views-computation = 計算
views-both = 通信と計算
views-share-hidden = 隠蔽率
views-method-of-curves = nバイトの所要時間（中央値）を α + n/β で近似する。偏差が{ $tolerance }またはばらつき以内に収まる最少の直線とし、各直線は{ $fewest }点以上とする。新しい直線の始まりはプロトコルの切替えを示す。直線から外れた点は{ $odd }点に1点まで除外し、そのサイズを示す。パラメータは残りの点の相対偏差に対するロバスト（Huber）推定による。95%信頼区間が ±{ $sharp }より広いパラメータはその幅で示す。この区間は各点の偏差によるもので、実行ごとの変動は含まない。隣り合う点のばらつきが{ $noisy }を超える場合は近似しない。バンド幅の平均は全バイト数を全時間で割った値である。外れ値は、中央値より{ $least }以上、かつ標準偏差（中央絶対偏差による推定）の{ $far }倍以上遅い標本である。
views-method-of-sizes = バンド幅の平均は全バイト数を全時間で割った値である。外れ値は、中央値より{ $least }以上、かつ標準偏差（中央絶対偏差による推定）の{ $far }倍以上遅い標本である。

# 行列群。

views-family = 種類
views-mean = 平均
views-lowest = 最低
views-highest = 最高
views-in-cache = キャッシュ内
views-partly = 一部キャッシュ内
views-partly-in-cache = 一部キャッシュ内
views-in-memory = メモリ上
views-unknown = 不明
views-lowest-of-limit = 上限性能比の最低
views-which-is = 該当するもの
views-families =
    { $solver ->
        [none] 種類別。
       *[other] 種類別（{ $solver }）。
    }平均は幾何平均。{ $limited ->
        [yes] 上限性能比はキャッシュより十分大きい{ $problems }の値
       *[no] キャッシュより十分大きい{ $problems }で上限の分かるものがないため、上限性能比は不明
    }
views-all-families =
    { $solver ->
        [none] 全体
       *[other] 全体（{ $solver }）
    }
views-some-of = { $all }中 { $some }
views-all-problems = 全{ $problems } { $number }件の諸元と測定値
views-problems-csv = 全桁の値は{ $file }にある。
views-problems = 全{ $problems }、中央値
views-problem = 名称
views-solver = 解法
views-data = データの位置
views-format = 格納形式
views-check = 検証
views-run-with-solver = { $run }（{ $solver }）
views-beside = { $solver }と{ $other }の比較
views-ratios = { $other }に対する{ $solver }の性能比。1より大きいほど{ $solver }が優れる。平均は幾何平均
views-solvers-compared = { $other }に対する{ $solver }の性能比は、{ $problems } { $number }件の幾何平均で{ $ratio }（{ $least }～{ $most }）。1より大きいほど{ $solver }が優れる。
views-problems-over = { $along }に対する{ $title }
views-with-solver = { $benchmark }（{ $solver }）
views-problems-of-limit = { $title }：メモリによる性能上限に対する比
views-problems-range = { $problems } { $number }件、{ $low }～{ $high }。
views-problems-limited = キャッシュより十分大きい{ $problems } { $number }件、メモリによる上限の{ $low }～{ $high }。
views-better-for = { $problems } { $number }件中{ $better }件で{ $solver }が優れ、性能比の幾何平均は{ $ratio }。
views-ratios-counted = { $problems } { $number }件のうち{ $between }件が2本の線の間、{ $below }件が下、{ $above }件が上にある。性能比の中央値は{ $median }。
views-ratios-median = 性能比の中央値は{ $median }。
views-ratio-line = { $ratio }の線：{ $theirs }に対する{ $mine }の比。
views-ratio-line-name = { $of ->
    [peak] 理論性能の比 { $ratio }
   *[memory] メモリバンド幅の比 { $ratio }
}
views-ratio-no-line = { $of ->
    [peak] 理論演算性能の比の線はない：{ $who }の値が不明。
   *[memory] 実測メモリバンド幅の比の線はない：{ $who }では未測定。
}
views-ratio-states = 線は{ $problems } { $all }件中{ $number }件（{ $states }）のもの。その他は、それぞれの状態の線で数えている。
views-ratio-state = { $who }：{ $state }
views-ratios-named = サイズの近い最大{ $near }件の{ $problems }の中央値から{ $times }倍（ロバスト標準偏差の{ $deviations }倍）より離れたものを外れ値とする。{ $number ->
    [0] 該当なし。
   *[other] { $number }件{ $named ->
        [0] {""}
       *[other] 。最も離れたものから最大{ $named }件の名前を、場所があれば示す
    }。
}
views-ratio-of = { $problem }（{ $ratio }）
views-ratios-outliers = 外れ値：{ $each }{ $more ->
    [0] {""}
   *[other] 、ほか{ $more }件
}。
views-ratios-cached = { $problems } { $number }件は{ $solver }だけで最終レベルキャッシュに収まる（うち外れ値{ $outliers }件）。その性能比の中央値は{ $median }、その他は{ $rest }。
views-held-by-both = 両方のキャッシュに収まる
views-held-by-one = 一方のキャッシュだけに収まる
views-held-by-neither = どちらのキャッシュよりも大きい
views-axis-percent-of-limit = 上限性能比（%）
views-axis-times-better = 性能比
views-highlight = 種類または点をクリックするとその種類を強調し、背景のダブルクリックで解除する。
views-where-data = データの位置：{ $looks }。
views-no-memory-limit = メモリによる上限なし
views-best = 最良

# 設定に対する値。

views-plot-of = { $plot }：{ $metrics }
views-flat-mpi = フラットMPI
views-hybrid = ハイブリッド { $threads } × { $ranks }
views-medians-alone = 中央値。
views-medians-with-intervals =
    { $of ->
        [between] 中央値と試行間の95%信頼区間。
        [within] 中央値と試行内の95%信頼区間。
       *[both] 中央値と95%信頼区間（試行間、1試行の場合は試行内）。
    }
views-best-joined = 同じ位置に複数のケースがある場合、線は最良のものを結ぶ。
views-best-drawn = 同じ位置に複数のケースがある場合、最良のものを示す。
views-dashed-limit = 破線：実測の上限値による性能上限。
views-vertical-limit = 縦線：実測の上限値による性能上限。
views-layouts = ハイブリッドa × bはランクあたりaスレッド、ノードあたりbランク。フラットMPIはランクあたり1スレッド。
views-no-limit = 性能上限は不明
views-along =
    { $name ->
        [threads] スレッド数
        [ranks] ランク数
        [layout] 並列構成
       *[other] { $name }
    }
views-sweep-drawn = { $along }に対する{ $number }個の値、{ $low }～{ $high }。

# 処理時間に対する推移と、遅いランク。

views-over-time = { $benchmark }：性能の時間推移
views-over-time-drawn = 区間ごとの値は{ $low }～{ $high }。
views-more-over-time = 他の{ $number }ケースの時間推移
views-over-time-caption = 最終ラウンドの終了まで（計測区間にfsyncを含む場合はその完了まで）の区間ごとの値。全ランクの合計と、全ランクが最も遅いランクと同じ速さであった場合の値。
views-course-of-rank = { $phase }、ランク { $rank } × { $ranks }
views-axis-seconds = 処理開始からの時間（秒）
views-stragglers = 遅いランク
views-no-stragglers = 中央値のランクより{ $ratio }倍以上遅いランクはない。
views-stragglers-caption = 自身の性能が中央値のランクの{ $ratio }分の1以下であったランク。指標ごとに5件まで
views-straggling-rank = ランク
views-straggling-rate = 性能
views-straggling-ratio = 遅さ（倍）
views-figure = 指標
views-straggling-ranks = { $ranks }
views-straggling = 遅いランク：{ $metric }
    .evidence = { $who }：{ $slowest }、中央値のランク { $median } の{ $ratio }分の1
    .confirm = 該当ホストを除いて測定し（--hosts）、他に動作している処理とストレージへの通信路を確認する
views-straggler = { $metric }で{ $who }が中央値のランクより{ $ratio }倍遅い
views-method-of-stragglers = ランクごとの性能は、自身の処理量を自身の処理時間で割った値。中央値のランクより{ $ratio }倍以上遅いランクを挙げる。
views-dealt = { $have }。{ $rates }であり、これに応じて分担した。{ $reached }
views-dealt-as-given = { $have }（指定どおり）。{ $rates }であり、{ $reached }
views-dealt-have = { $parts }は{ $problem }を{ $shares }ずつ受け持つ
views-dealt-equally = { $parts }は{ $problem }を均等に受け持つ。{ $rates }であり、{ $reached }
views-dealt-limited = { $said }。{ $limit }
views-dealt-rates = 全ランク同時に測定した{ $measured }は{ $rates }
views-dealt-reached = 全体では全ランクの合計{ $sum }の{ $reached }に達した
views-dealt-parts = { $parts }による{ $problem }の分担
views-dealt-rate = 性能
views-dealt-share = { $problem }に占める割合
views-dealt-computed = 計算
views-dealt-moved = データ移動
views-dealt-waited = 待ち
views-dealt-caption = 実行前に全ランク同時に測定した{ $measured }。{ $problem }のうち{ $part }が受け持つ割合。{ $part }のランクの主スレッドの時間の平均：計算、データのメモリ内の移動、通信と他のスレッドの待ち。
views-dealt-work = { $parts }の時間の内訳
views-dealt-work-drawn = { $parts }のうち待ちが最も長いものは、その時間の{ $most }を待っている。
views-dealt-work-caption = 主スレッドの時間。{ $parts }それぞれのランクの平均。{ $more ->
    [0] { "" }
   *[other] 他の{ $more }本は表にある。
  }
views-dealt-bar = { $case }、{ $part }
views-dealt-unfit = 指定した{ $problem }の分担
    .evidence = { $parts }は{ $problem }を{ $shares }ずつ受け持つが、性能に応じた分担は{ $wanted }である。受け持ちが多すぎるものを待つ時間が全体の{ $idle }を占める
    .confirm = --set shares=ratesを指定すると、分担は性能に応じて決まる
views-dealt-steps = { $parts }の時間の内訳の推移
views-dealt-steps-axis = ステップの割合（%）
views-dealt-steps-drawn = { $case }の{ $parts }の時間の内訳を最初のステップから最後のステップまで示す。
views-dealt-steps-caption = { $case }。それぞれの帯は、同数のステップごとの主スレッドの時間の内訳。{ $more ->
    [0] { "" }
   *[other] 他の{ $more }個は示していない。
  }
views-partition = { $name }
views-dealt-one-of = { $group }（{ $number }/{ $all }）
views-processors = プロセッサ{ $cpus }

# 複数のパーティションのノードの単独性能と全体の性能。
views-subsets = 各パーティション単独の性能と全体の性能
views-subsets-nodes = { $name }の{ $nodes }ノード
views-subsets-used = ノード
views-subsets-ranks = ノードあたりのランク数
views-subsets-figure = 性能
views-subsets-sum = 単独測定の合計
views-subsets-of-sum = 合計に対する割合
views-subsets-of-peak = 理論性能比
views-subsets-added = 増加
views-subsets-caption = 検証に合格したケース。単独測定の合計は、各パーティションの同数のノードによる最も高い単独性能の合計。増加は、一部のパーティションを除いた最も高い性能との差。問題サイズはケースごとに異なる。
views-subsets-slowed = { $names }のノードは全体を遅くする。最も高いのはこれらを除いた{ $nodes }の{ $figure }である。
