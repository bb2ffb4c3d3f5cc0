# 監視している性能値の持続的な変化。

watch-kind = 性能監視
watch-subtitle = { $figures }件の性能値、{ $runs }回の実行
watch-answer = 変化の有無
watch-totals =
    全{ $figures }件のうち、新たな低下{ $worse ->
        [0] なし
       *[other] { $worse }件
    }、新たな向上{ $better ->
        [0] なし
       *[other] { $better }件
    }。
watch-changed-ever = 期間中に持続的な変化があったもの：{ $figures }件。
watch-suspected-of = 変化の疑いがあるもの：{ $figures }件（次回の実行で確定）。
watch-few-of = 実行回数が不足しているもの：{ $figures }件（30分以上の間隔で{ $least }回必要）。
watch-missing = { $figure }：同じプログラムの最新の実行{ $run }に性能値がない（{ $why }）
watch-changed = 変化した性能値
watch-steady = 変化のない性能値
watch-method = 変化の判定方法
watch-figure-of = { $figure }（{ $case }）
watch-figure = 性能値
watch-machine = 計算機
watch-runs = 実行回数
watch-median = 最後の変化以降の中央値
watch-finds = { $runs }回で検出できる変化
watch-change = 変化
watch-suspected = 変化の疑い：再実行で確認のこと。
watch-too-few = 実行回数不足。
watch-since =
    { $new ->
        [yes] 新規：
       *[no] {""}
    }{ $date }以降、{ $size }{ $better ->
        [yes] 向上
       *[no] 低下
    }。
watch-suspected-why = 最近の実行がそれ以前と異なる（図中の「?」）。次回の実行で確定または否定される。
watch-drawn = { $figure }：{ $runs }回の実行、{ $low }から{ $high }{ $beyond ->
    [0] {""}
   *[other] （うち{ $beyond }回は図の範囲外）
}。持続的な変化は{ $changes ->
    [0] なし
   *[other] { $changes }件
}。
watch-differs = 前後の相違点
watch-before = 変化前
watch-after = 変化後
watch-around = 変化前の最後の実行：{ $before }。変化後の最初の実行：{ $since }。確認した実行：{ $confirmed }。
watch-nothing = 記録された相違なし
watch-more = ほか{ $number }項目
watch-none = なし
watch-unknown = バージョン不明
watch-kernel = カーネル { $name }
watch-firmware = ファームウェア
watch-microcode = マイクロコード
watch-hypervisor = ハイパーバイザ
watch-library = { $name } { $path }
watch-driver = { $device }のドライバ
watch-banzuke = Banzuke
watch-hosts = ホスト
watch-program = プログラムの{ $name }
watch-variable = { $name }
watch-parameter = { $name }
watch-method-text = 各図は実行を順番に等間隔で示し、横線は変化と変化の間の中央値である。縦線は変化後の最初の実行の直前、大きな点は変化を確認した実行を示す。他から大きく外れた実行は、図の端に淡色で示す。間隔が30分未満の実行は1回とみなし、妨げられた試行は数えず、計算機の状態ごとに図を分ける。{ $share }以上の変化で、変化前{ $reference }回以上、変化後{ $recent }回以上の実行に現れ、さらに1回の実行で確認されたものを変化とする（合計{ $least }回必要）。
watch-case = { $benchmark }、{ $layout }{ $more ->
    [none] {""}
   *[other] 、{ $more }
}{ $state ->
    [none] {""}
    [near] 、近いプロセッサ
   *[far] 、遠いプロセッサ
}
