# 報告書の見出し・表・文。
report-kind-of-page = 性能評価報告書
report-skip = 最初の節へ移動
report-contents = 目次
report-light = ライトモード
report-dark = ダークモード
report-no-script = 図の描画にはJavaScriptが必要である。同じ図をfiguresフォルダにSVGおよびPDFとして収録した。
report-script-alone = 図の描画にはJavaScriptが必要である。
report-broken-chart = 図を描画できなかった
report-undrawn = 図{ $charts }件中{ $missing }件のSVGおよびPDFを作成できなかった。原因：{ $why }。図のファイル以外は完全である。制限が原因の場合は、制限を緩めるか別の計算機で`banzuke report`を実行すると、これらの図も作成される。
report-undrawn-yet = 図はまだ描画されていない。この表示が変わらない場合、`banzuke report`は図の描画中に終了した。図以外は完全である。
report-undrawn-told = 各図の位置に、図の内容を文で示す。
report-undrawn-limit = 描画プログラムが{ $end }で終了した。次の制限によるとみられる：{ $limits }
report-undrawn-address-space = `ulimit -v`によるアドレス空間の上限が{ $allowed }であるのに対し、{ $taken }を予約する
report-undrawn-allowed = `ulimit { $option }`による上限は{ $allowed }
report-undrawn-killed = 描画プログラムが強制終了された（SIGKILL）。メモリ不足とみられる
report-undrawn-killed-in-group = 描画プログラムが強制終了された（SIGKILL）。メモリ不足とみられ、このコントロールグループの上限は{ $allowed }である
report-undrawn-hung = 描画プログラムが{ $time }の間応答せず、終了させた
report-undrawn-said = 描画プログラムが{ $end }で終了した：{ $said }
report-undrawn-ended = 描画プログラムが{ $end }で終了した
report-undrawn-unstarted = 描画プログラムを起動できなかった：{ $said }
report-undrawn-unstarted-limit = 描画プログラムを起動できなかった：{ $said }。次の制限によるとみられる：{ $limits }
report-undrawn-refused = Vegaが{ $chart }を描画できない：{ $said }
report-more = この節の続きはreport.htmlに示す
report-whole = すべての節を印刷
report-rest = 全ケース、設定、図および各数値の再現方法は、report.htmlの以降の{ $number }節に示す。
report-data = 本報告書のデータ：
report-footer = 実行 { $run } · フィンガープリント { $fingerprint } · { $start }～{ $end } · Banzuke { $version }。
report-fleet = { $nodes }ノード
report-fleet-footer = 実行 { $runs } · Banzuke { $version }。
report-several = { $number }件の実行の比較
report-each-host = { $number }ノード、各ノード：{ $processor }
report-usable-cores = 利用可能コア数 { $number }
report-memory = メモリ { $size }

report-benchmark = ベンチマーク
report-figure = 指標
report-figure-at = { $title }（{ $size }）
report-of-limit = 上限性能比
report-of-peak = 理論性能比
report-verification = 検証
report-median = 中央値
report-launches = 試行数
report-interval = 95%信頼区間
report-best = 最良
report-spread = ばらつき
report-samples = 標本数
report-case = ケース
report-case-and-more =
    { $more ->
        [0] { $case }
       *[other] { $case }ほか{ $more }ケース
    }
report-more-cases = ほか{ $number }ケース
report-check = 検証項目
report-number = 件数
report-worst = 許容値に最も近い値
report-allowed = 許容値
report-ratio = 比
report-all-cases = 全ケース
report-verdict = 判定
report-range = { $low }～{ $high }
report-threads = スレッド数
report-kind = 種別
report-source = 出典
report-run = 実行
report-record = 記録
report-settings = 設定
report-all = すべて
report-image = イメージ
report-not-recorded = 記録なし

report-no-headline = 代表値なし
report-verified = 検証済み
report-skipped = 省略
report-failed = 失敗
report-not-verified = 検証不合格
report-of-launches = { $verified } / { $launches }
report-within-launch = { $interval }（試行内）
report-launch = 試行 { $number }/{ $launches }
report-launch-shown = { $launch }（掲載）

report-summary = 要約
report-summary-caption = 各ベンチマークの代表値（代表ケースの中央値）
report-nothing-measured = 測定したケースはない（計画{ $planned }ケース）。掲載する数値はない。
report-cases-ran = 全{ $of }ケース中{ $cases }ケースを{ $time }で実行した（{ $launches }試行）。
report-all-verified = { $cases }ケースすべてが検証済みである。
report-some-verified = { $cases }ケース中{ $verified }ケースが検証済みである。
report-verified-of = { $cases }ケース中{ $verified }ケース検証済み
report-mean-of = { $number ->
    [1] 実行した1ケースの値
   *[other] { $number }ケースの幾何平均
}

report-problems = 失敗・省略
report-missing-cases = 計画した{ $number }ケースの記録がない。評価が中断されたか、まだ実行されていない。
report-missing-launches = 測定したケースについて、計画した{ $number }試行の記録がない。
report-unreadable = 読み取れず、本報告書に含まれない記録：
report-without-views = 作成に失敗したため、各ベンチマーク固有の図表を省略した：{ $error }。Banzuke本体またはベンチマークの不具合である。
report-log = エラー出力の末尾

report-cases = 全ケース
report-cases-of = { $figure }、全ケース
report-between = 信頼区間とばらつきは試行間の値である。「試行内」は1試行の標本間の値を示す。
report-checks = 計算結果の検証
report-checks-passed = { $number }件の計算結果をすべて検証し、正しいことを確認した
report-checks-failed = { $all }件中{ $number }件の計算結果が検証不合格
report-limit-sources = 性能上限の根拠
report-limit-from = { $figure }の性能上限：{ $source }
report-no-limit = { $figure }の性能上限は不明：{ $why }
report-peak-from = { $figure }の理論性能：{ $source }
report-evidence = 根拠
report-confirm = 確認方法
report-causes = 性能低下の要因（推定）
report-warnings = 注意
report-rules = 公式規則
report-official = VALID。すべての公式規則を満たす
report-not-official = VALIDであるが公式記録の条件を満たさない。条件は{ $rule }

report-device-clock = { $benchmark }：アクセラレータの動作周波数
report-device-power = { $benchmark }：アクセラレータの消費電力
report-device = アクセラレータ{ $device }
report-device-seconds = プログラム開始からの時間（秒）
report-device-drawn = { $low }～{ $high }。
report-device-caption = ケースの実行中（準備と検証を含む）にドライバから読み取った瞬時値。
report-device-some = アクセラレータ{ $all }台のうち、平均の低い{ $shown }台を示す。
report-samples-title = { $benchmark }：標本の分布
report-samples-axis = 中央値からの偏差、%
report-samples-caption = 縦線は各標本、帯は95%信頼区間を示す。
report-samples-launches = 点は各試行の中央値を示す。
report-samples-cut = 標本の範囲を大きく超える信頼区間は途中で切って示す。
report-samples-thinned = 標本が{ $number }を超える場合は、両端を含め等間隔の順位で選んだ{ $number }標本を示す。
report-samples-some = { $all }分布中{ $shown }分布を示す。すべてのデータはデータファイルに収録した。
report-samples-description = { $number }指標の標本の分布。中央値から最も離れた標本は{ $of }の{ $farthest }。

report-roofline = ルーフライン
report-no-roofline = ルーフラインの作成には、メモリバンド幅、演算性能、および演算数とバイト数の両方が分かる検証済みの数値が必要である。
report-ceilings-caption = 性能評価に用いた上限値
report-ceiling = 上限値
report-ceiling-in-state = { $title }（{ $state }）
report-ceiling-of-device = { $title }（{ $device ->
    [none] アクセラレータ
   *[other] { $device }{" "}
}1台）
report-ceiling-kind =
    { $kind ->
        [measured] 実測
       *[theoretical] 理論
    }
report-roof-of-cache = L{ $level } { $rate }
report-roof-of =
    { $kind ->
        [measured] 実測 { $rate }
       *[theoretical] 理論 { $rate }
    }
report-roof-whose = { $name }：{ $roof }
report-roofs-whose = { $partition ->
    [none] {""}
   *[other] { $partition }{" "}
}{ $kind ->
    [host] ホスト
   *[device] { $device ->
        [none] アクセラレータ
       *[other] { $device }
    }
}
report-intensity = 演算強度、flop/B
report-roofline-caption = 実線は実測の上限値、破線は理論性能を示す。演算数は各ベンチマークの定義、バイト数は最低限必要な転送量による。浮動小数点演算を含まない指標は示さない。両軸とも対数目盛である。
report-roofline-caches = 点線はキャッシュの実測バンド幅を示し、データがそこに収まる場合の上限となる。
report-roofline-devices = 太線と中抜きの点はアクセラレータ1台、細線と塗りつぶした点は1ホストのプロセッサの値を示す。
report-roofline-without = { $who }の数値は、上限値が不明のため示さない。
report-roofline-together = 種類の異なるアクセラレータを同時に用いた値は、いずれの上限にも対応しないため示さない。
report-roofline-description = ルーフライン。{ $low }～{ $high } flop/Bの範囲の{ $number }点。最大値は{ $best }。

report-axis-first = 最初の値
report-axis-intro = 同一のケースを交互に実行した結果である。比は{ $against }の場合の試行の中央値に対する値で、1より大きいほど良い。
report-axis-against = 比較対象
report-axis-reference = 比較対象の値
report-axis-caption = { $against }に対する代表値の比。複数試行の場合は95%信頼区間を示す。「全ケース」は当該ベンチマークの全ケースにおける範囲
report-axis-meaningless = { $value }：{ $why }。図には示さない。
report-axis-cautions = 注意
report-axis-title = { $title }（{ $against }との比較）
report-axis-far = { $title }：差が特に大きい指標
report-axis-x =
    { $scale ->
        [log] { $against }に対する比（対数目盛、1より右が良い）
       *[linear] { $against }に対する比（1より右が良い）
    }
report-axis-chart-caption = { $against }に対する各ベンチマークの代表値の比。線は複数試行の場合の95%信頼区間を示す。
report-axis-description = { $title }。{ $values }における{ $number }指標。最小は{ $series }の{ $of }で、{ $against }の{ $worst }倍。

report-reproduction = 各数値の再現方法
report-reproduction-each = { $number }ケースの一覧
report-command = コマンド
report-no-command = コマンドの記録がない。
report-from-to = { $start }～{ $end }
report-conditions = 実行中の状態
report-environment = 実行環境
report-version = { $version }（コミット { $commit }）
report-imported = 取り込み元
report-binding = プロセス配置・束縛（確認値）
report-programs = プログラム
report-storage = ストレージ
report-hosts = ホスト
report-host-ranks = { $hosts }：ランク { $ranks }
report-ranks-at = ランク { $ranks }：{ $place }
report-threads-together = 全{ $number }スレッドをプロセッサ{ $processors }に配置
report-thread-on = スレッド{ $thread }をプロセッサ{ $processors }に配置
report-memory-policy = メモリ割当方針 { $policy ->
    [default] 既定
   *[other] { $policy }
}
report-pages = { $pages ->
    [transparent] ラージページ（THP）
    [base] 通常ページ
    [reserved] 予約済みラージページ
   *[other] { $pages }ページ
}
report-devices = アクセラレータ { $devices }

report-setting-backend = 実装
report-setting-placement = プロセス配置
report-setting-hosts = ホスト数
report-setting-ranks = ランク数
report-setting-threads = スレッド数
report-setting-groups = ランク群
report-setting-devices = アクセラレータ数
report-setting-default = 既定値
report-setting-switch =
    { $on ->
        [yes] あり
       *[no] なし
    }
report-condition-load = 実行前の負荷
report-condition-others = 他プロセスのプロセッサ使用率
report-condition-steal = ハイパーバイザによるプロセッサ占有率
report-condition-throttled = cgroupのCPU割当上限による停止時間
report-condition-quota-before = 開始時のcgroupのCPU割当上限（プロセッサ数）
report-condition-quota-after = 終了時のcgroupのCPU割当上限（プロセッサ数）
report-condition-clock = 動作周波数
report-condition-clock-host = 動作周波数が最も低いホスト
report-condition-clock-host-fastest = 動作周波数が最も高いホスト
report-condition-clock-fastest = そのホストの動作周波数
report-condition-huge-pages = ラージページ上のデータの割合
report-condition-switches = 非自発的コンテキストスイッチ回数
report-condition-exchange = 両端のプロセッサ間のキャッシュライン受渡し時間
report-condition-exchange-before = 同（測定前）
report-condition-exchange-processors = そのプロセッサ
report-condition-exchange-host = プロセッサ間が最も遠いホスト
report-condition-exchange-nearest = 同（最も近いホスト）
report-condition-exchange-host-nearest = プロセッサ間が最も近いホスト
report-condition-thread-rates = ループの分担に用いた先頭ランクのスレッド性能比
report-condition-working-set = ワーキングセット
report-condition-run-delay = スレッドのプロセッサ待ち時間
report-condition-timed = 計測区間
report-condition-setup = 準備時間
report-condition-stolen = ハイパーバイザによる占有時間
report-condition-network = ネットワークインタフェース
report-condition-network-bytes = ネットワーク送受信量
report-condition-link-rate = リンク速度
report-condition-sum-of-rates = 各ランクの性能の合計（事前に測定）
report-condition-folders-left = 残ったフォルダ
report-condition-footprint = 使用メモリ量
report-condition-device-footprint = アクセラレータ上の使用メモリ量
report-condition-device = アクセラレータ
report-condition-platform = アクセラレータの実行基盤
report-condition-l2 = アクセラレータのL2キャッシュ
report-condition-method = 実装方式
report-condition-tick = 時計の刻み
report-condition-headline-size = 代表値のサイズ
report-condition-largest-size = 最大サイズ

report-side-figures = 性能の比較
report-side-machines = 計算機の比較
report-side-nothing = 数値を持つ実行がない。
report-side-caption = 代表ケースの中央値と上限性能比。倍率は当該指標を持つ最初の実行に対する値で、大きいほど良い。差の有意性は`banzuke compare`で検定できる
report-side-ratio = { $ratio }倍
report-side-unlike = { $what }が異なる：{ $each }。
report-side-has = { $run }は{ $value }
report-side-same-machine = 計算機の仕様は同一である。
report-side-differs = 異なる項目
report-side-alike = すべての実行で同一の項目
report-side-limit-title = 上限性能比
report-side-limit-axis = 上限性能比、%
report-side-limit-caption = 各計算機自身の上限値から得られる最良値に対する、代表値の割合。
report-side-ratio-title = { $run }との比較
report-side-ratio-axis = 比（対数目盛）
report-side-ratio-caption = { $run }に対する各代表値の比。1より大きいほど良い。時間は問題が同一の場合のみ比較する。
report-side-description = { $title }。{ $runs }の{ $number }指標。
report-side-first = { $all }指標中、先頭の{ $shown }指標を示す。
report-figure-of = { $title }（{ $kind }）
report-figure-on-devices = { $title }（{ $kind ->
    [none] アクセラレータ
   *[other] { $kind }{" "}
}{ $devices }台）
report-median-launch = 複数試行のケースでは、単一の数値以外の結果は、代表値が中央値となる試行のものを示す。
report-orders = ランクの配置
report-orders-intro = { $file }のネットワークで各順序についてモデルが示すもの：通信時間、最も混むリンク、各リンクの負荷。上の数値は実測値。
report-orders-undrawn = 順序の図はない：{ $why }
