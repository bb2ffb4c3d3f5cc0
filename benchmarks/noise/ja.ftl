# 要因、根拠、確認方法

noise-cause-clock = 動作周波数の変動、または同じコアの他のハードウェアスレッドの負荷（OSノイズではない）
    .evidence = 単位処理のすべての部分が一様に延びている：ノイズに見えるものの{ $share }{ $resolution ->
        [none] {""}
       *[other] （分解能{ $resolution }）
    }
    .confirm = 動作周波数を固定し（cpupower frequency-set -g performance、ターボ無効）、同じコアの他のスレッドを空ける
noise-cause-hypervisor = ハイパーバイザによるプロセッサの占有{ $hypervisor ->
        [none] {""}
       *[other] （{ $hypervisor }）
    }
    .evidence = 奪われた時間{ $stolen }、全プロセッサのノイズは{ $noise }
    .confirm = 専有プロセッサを要求する。ゲスト内の対策では除けない
noise-cause-processes = 同じプロセッサ上の他のプロセス{ $started ->
        [0] {""}
       *[other] （うち{ $started }個は --neighboursによるもの）
    }
    .evidence = スレッドの実行待ちは{ $waited }{ $switches ->
        [0] {""}
       *[other] 、プリエンプション{ $switches }回
    }、ノイズは{ $noise }
    .confirm = { $traced ->
        [yes] 他のプロセッサに分離する：--environment isolated
       *[no] --set trace=onでプロセス名を調べ、他のプロセッサに分離する：--environment isolated
    }
noise-cause-traced = { $who }（{ $kind ->
        [process] プロセス
        [interrupt] 割り込み
        [softirq] ソフト割り込み
       *[other] { $kind }
    }）
    .evidence = トレースした{ $events }件のイベントで{ $seconds }{ $longest ->
        [none] {""}
       *[other] 、最大{ $longest }
    }：ノイズの{ $share }
    .confirm = { $kind ->
        [process] 専用のプロセッサに束縛する（`banzuke isolate`で可能）
        [interrupt] 他のプロセッサに割り当てる（/proc/irq/*/smp_affinity、`banzuke isolate`で可能）
        [softirq] 発生源の割り込みとワークキューを他のプロセッサに割り当てる（`banzuke isolate`で可能）
       *[other] 処理内容を調べる
    }
noise-cause-tick = カーネルのタイマ割り込み
    .evidence = 各プロセッサで毎秒{ $counted }回のタイマ割り込み。{ $cost ->
        [none] 1回の長さは不明
       *[other] うち{ $rate }回は少なくとも{ $cost }を要する：ノイズの{ $share }
    }
    .confirm = 起動パラメータisolcpus、nohz_full、rcu_nocbsを該当プロセッサに指定すると大半がなくなる
noise-cause-interrupts = デバイスや他のプロセッサからの割り込み
    .evidence = 各プロセッサで毎秒：{ $rates }。1回の長さは不明
    .confirm = トレースし（--set trace=on）、デバイスの割り込みを他のプロセッサに割り当てる（`banzuke isolate`で可能）
noise-cause-processors = 他よりノイズの大きいプロセッサ：{ $processors }
    .evidence = { $first }では時間の{ $share }、他では{ $usual }（{ $ratio ->
        [none] 他ではなし
       *[other] { $ratio }倍
    }）、最大{ $longest }
    .confirm = 割り込み（/proc/interrupts）やデーモンの割り当てを確認し、該当プロセッサをシステム用にする（--os-cores）
noise-interrupts = { $name } { $rate }回
noise-processor = { $host ->
        [none] {""}
       *[other] { $host }の
    }プロセッサ{ $cpu }
noise-remark = ノイズは時間の{ $share }{ $beyond ->
        [none] {""}
       *[other] （動作周波数の変動を除くと{ $beyond }）
    }{ $noisiest ->
        [none] {""}
       *[other] 、最も大きいのは{ $noisiest }
    }

# 表

noise-group = { $kind ->
        [fwq] 固定処理量（FWQ）
       *[ftq] 固定時間（FTQ）
    }{ $settings ->
        [none] {""}
       *[other] 、{ $settings }
    }
noise-caption = 全プロセッサの全単位処理のノイズ：{ $kind ->
        [fwq] 最短の単位処理に対する超過時間
       *[ftq] 最大の処理量に対する不足分（時間換算）
    }
noise-environment = 実行環境
noise-noise = ノイズ
noise-longest = 最大
noise-mean = 平均
noise-share = 時間比率
noise-percentile = { $percentile ->
        [median] 中央値
       *[other] { $percentile }
    }
noise-above = > { $length }
noise-quanta = 標本数
noise-all = 全体
noise-beyond-clock = 動作周波数の変動を除く
noise-facts = { $quantum }の単位処理を{ $processors }プロセッサで各{ $quanta }回測定した{ $launches ->
        [1] {""}
       *[other] （{ $launches }試行の中央値）
    }。{ $resolution ->
        [none] {""}
       *[other] { $resolution }未満のノイズは動作周波数の変動と区別できない。
    }{ $missing ->
        [0] {""}
       *[other] 全標本の記録は最大ノイズ長が上位の{ $kept }プロセッサに限り、集計は全プロセッサを対象とする。
    }
noise-facts-of = { $environments }：{ $facts }
noise-clock = { $method ->
        [chunks] 単位処理を64区間に分けて測定し、隣り合う区間を一様に延ばした分を動作周波数の変動とみなした。
        [counter] 動作周波数の変動による分は、ユーザモードのサイクル数を数えて分離した。
       *[other] 動作周波数の変動による分は分離した。
    }
noise-left-out = { $environments }は除外した。ソフトウェアによる模擬実行であり、時間に意味がない。
noise-peaks = スペクトルのピーク。「所要時間」はタイマ割り込みでは最小値、その他では短い事象が等間隔で起きるとした平均値
noise-frequency = 周波数
noise-amplitude = 振幅
noise-takes = 所要時間
noise-multiples = 倍数のピーク
noise-cause = 要因
noise-peak = { $rate ->
        [0] 不明
       *[other] タイマ割り込み、毎秒{ $rate }回
    }
noise-noisiest = ノイズの大きいプロセッサ
noise-processor-column = プロセッサ
noise-all-processors = 全プロセッサのCSV（全桁）

# 図

noise-chart-title = { $benchmark }、{ $group }：{ $what }
noise-description = { $title }：{ $shows }。
noise-log-axis = { $quantity }、対数目盛
noise-longest-in = { $environment }で{ $length }
noise-quanta-title = 各単位処理のノイズ
noise-longest-shows = 最大は{ $longest }
noise-quanta-caption = 各単位処理は帯の中か点で示し、最も離れたものを点とする。{ $floor ->
        [none] {""}
       *[other] 縦軸は対数目盛で、{ $floor }未満は{ $floor }の位置に描く。
    }{ $quantum ->
        [none] {""}
       *[other] 外乱のない単位処理は{ $quantum }である。
    }
noise-in-order = 最初の単位処理から最後まで
noise-number = 単位処理の番号
noise-quantum = 単位処理
noise-distribution-title = ノイズ長の分布
noise-distribution-caption = そのノイズ長以上の単位処理の割合。線の右端は測定した最大ノイズ長で、それより稀なノイズは観測していない。
noise-length-axis = ノイズ長、{ $unit }
noise-exceeding-axis = そのノイズ長以上の単位処理（%）
noise-length = ノイズ長
noise-exceeding = これ以上の単位処理
noise-longest-title = 各プロセッサの最大ノイズ長
noise-share-title = 各プロセッサで失われた時間
noise-share-axis = 時間比率（%）
noise-processors-shows = { $least }～{ $most }、最大は{ $where }{ $environment ->
        [none] {""}
       *[other] （{ $environment }）
    }
noise-processors-caption = 点は1プロセッサを示す。{ $missing ->
        [0] {""}
       *[other] ノイズのない{ $missing }個は描かない。
    }
noise-block = { $processor }{ $processors ->
        [1] {""}
       *[other] （{ $processors }個のうち最大）
    }
noise-map-title = 各プロセッサの最大ノイズ長{ $environment ->
        [none] {""}
       *[other] 、{ $environment }
    }
noise-map-caption = 色が濃いほどノイズが長い。{ $block ->
        [1] {""}
       *[other] 1マスは最大{ $block }プロセッサで、そのうち最大の値を示す。
    }
noise-processor-of-host = ホスト内のプロセッサ
noise-host = ホスト
noise-spectrum-title = スペクトル{ $environment ->
        [none] {""}
       *[other] 、{ $environment }
    }
noise-work-axis = 処理量に対する割合（%）
noise-peak-at = { $frequency }に{ $share }
noise-spectrum-shows = { $peaks ->
        [none] ピークなし
       *[other] { $peaks }
    }
noise-spectrum-caption = 各区間で不足した処理量のスペクトル。{ $peaks ->
        [0] ピークなし
       *[other] ピークは{ $peaks }個
    }。{ $highest }より頻繁な事象は、より低い周波数に現れる。

# 判定方法

noise-method = 固定処理量のノイズは、同じプロセッサの最短の単位処理に対する超過時間である。固定時間のノイズは、最大の処理量に対する不足分を時間に換算したものである。動作周波数の変動による分は、単位処理のすべての部分を一様に延ばした分で、動作周波数の変化か、同じコアの他のスレッドによる。要因には、同じ時間のカーネルのカウンタでノイズの{ $least }以上を占めるものを挙げる。スペクトルはノイズの大きい{ $processors }プロセッサの平均で、周囲の{ $high }倍を超えるものをピークとする。ピークの所要時間は、短い事象が等間隔で起きる場合の値である。タイマ割り込みの所要時間は、最も静かなプロセッサで割り込みのたびに失われる時間の最小値で、割り込みの後に動くプロセスは含まない。各単位処理の図は、帯と、列ごとに帯より大きい最大{ $points }個の点を示す。全標本は記録にある。

# 仕様で英語で宣言した語。
noise-title = OSノイズ
noise-metric-maximum_noise = 最大ノイズ長
noise-metric-noise_p999 = ノイズ長（99.9パーセンタイル）
noise-metric-noise_share = 時間比率
noise-metric-mean_noise = 平均ノイズ長
noise-metric-noise_p50 = ノイズ長（中央値）
noise-metric-noise_p99 = ノイズ長（99パーセンタイル）
noise-metric-noise_p9999 = ノイズ長（99.99パーセンタイル）
noise-metric-maximum_noise_beyond_clock = 動作周波数の影響を除いた最大ノイズ長
noise-metric-noise_share_beyond_clock = 動作周波数の影響を除いた時間比率
noise-metric-noise_rate_1us = 1 µsを超える単位処理の頻度
noise-metric-noise_rate_10us = 10 µsを超える単位処理の頻度
noise-metric-noise_rate_100us = 100 µsを超える単位処理の頻度
noise-metric-core_maximum_noise = コアごとの最大ノイズ長
noise-metric-core_noise_share = コアごとの時間比率
noise-check-processors-whose-work-has-a-wrong-value = 計算結果に誤りのある論理プロセッサ数
noise-check-samples-that-ended-on-another-processor = 別の論理プロセッサで終了した標本数
noise-check-share-of-the-time-that-is-in-no-sample = 標本に含まれない時間の比率
noise-check-chunks-that-no-interval-has = どの区間にも含まれない単位処理の数

# 実行中の状態。
noise-seen-quantum = 単位処理時間
noise-seen-clock_resolution = 時計の分解能
noise-seen-method = ノイズの判定方法
noise-seen-method-counter-of-user-time = ユーザ時間のカウンタ
noise-seen-interrupts = 割り込み回数
noise-seen-softirqs = ソフト割り込み回数
noise-seen-blame = ノイズの原因（トレース）
noise-seen-trace_events_lost = 失われたトレースイベント数
noise-seen-chunk = 処理1回の時間
noise-seen-samples = 標本数
noise-seen-invariant_tsc = 一定周期のTSC
noise-seen-clock_reading = 時計の読み取り時間
noise-seen-quantum_wanted = 指定した単位処理時間
noise-seen-samples_wanted = 指定した標本数
noise-seen-method-neighbours-of-64-chunks = 前後64区分との比較
noise-unpredicted = 機械上で他に動くものが仕様に書かれていない
