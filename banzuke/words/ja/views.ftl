# 複数のベンチマークに共通するデータの形: 処理ごとの時間、メッセージ長に対する値、ランク対、行列群など。

views-where-time-went = 実行時間の内訳
views-phase = 処理
views-time = 時間
views-of-time = 時間比率
views-time-of-phases =
    { $launches ->
        [0] 処理ごとの時間（全ランクの平均）
       *[other] 処理ごとの時間（全ランクの平均、{ $launches } 試行のうち中央値の試行）
    }
views-costly-phase = { $phase }
    .evidence = 実行時間の { $share } を占める
    .confirm = { $advice }
views-explain = `banzuke explain { $benchmark }` に説明がある
views-slow-work = { $phase } が性能上限を下回る
    .evidence = { $phase } は { $rate }、性能上限の { $share }：{ $source }
    .confirm = { $advice }
views-slow-work-advice = ライブラリと、それに渡される行列の大きさを確認する
views-rate-over-progress = { $benchmark }: 実行中の性能の推移
views-rate-over-progress-drawn = 最初の区間は { $first }、最後の区間は { $last }、最大は { $most }。
views-rate-over-progress-caption =
    { $limited ->
        [yes] 区間ごとの性能。全区間では { $whole }。破線: 実測の上限値による性能上限。
       *[no] 区間ごとの性能。全区間では { $whole }。
    }
views-limit-line = 性能上限 { $limit }
views-shares-over-progress = { $benchmark }: 実行中の時間内訳の推移
views-shares-over-progress-drawn = { $phases }。
views-shares-over-progress-caption = 下から上へ表の順。全ランクの平均。実行の前半が全時間の { $half } を占める。
views-phase-share = { $phase } { $share }
views-axis-of-time = 時間比率 %
views-axis-percent = { $along } %
views-interval = { $begin } ～ { $end }
views-tip-time = 時間
views-tip-rate = 性能
