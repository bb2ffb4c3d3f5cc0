# 報告書の冒頭、構成図、公表システムとの比較。

site-title = { $name }の構成
site-partition-said = { $name }：ノード数 { $nodes }、プロセッサ { $processors }、ノードあたりのコア数 { $cores }、ノードあたりのメモリ容量 { $memory }{ $accelerated ->
    [yes] 、アクセラレータ { $devices }
   *[no] {""}
}{ $mounts ->
    [yes] 、ストレージ { $areas }
   *[no] {""}
}。
site-number-unknown = 不明
site-nodes = { $nodes }ノード
site-node-of = { $name }のノード構成
site-processor-unknown = プロセッサ不明
site-cores = { $cores }コア
site-cores-of-kind = { $cores }コア：{ $kind }
site-assistant-cores = アシスタントコア：{ $cores }
site-usable-cores = { $cores }コア中{ $usable }コアをジョブに割当て
site-numa = NUMAノード{ $nodes }個
site-peak = 理論性能 { $rate }
site-measured = 実測 { $rate }
site-more = ほか{ $more }件

peers-title = 公表システムとの比較
peers-intro = 公表値は各報告の記載どおりに引用した。⚑は、その報告自身の他の数値と整合しない記載値を示す。
peers-machine = システム
peers-value = 値
peers-printed = 記載値
peers-nodes = ノード数
peers-per-node = ノードあたり
peers-devices = アクセラレータ数
peers-per-device = アクセラレータあたり
peers-on-devices = { $title }（アクセラレータ）
peers-per-core = コアあたり
peers-of-peak = 理論性能比
peers-source = 出典・備考
peers-own = 本システム
peers-caption = { $title }（{ $better ->
    [lower] 小さい順
   *[higher] 大きい順
}{ $per ->
    [node] 、ノードあたりの値による
    [core] 、ノードのコア数が大きく異なるためコアあたりの値による
    [device] 、アクセラレータあたりの値による
   *[whole] {""}
}）
peers-computed = 本報告で算出
peers-share-printed = 記載値 { $share }
peers-median = { $launches ->
    [1] 中央値、最良 { $best }
   *[other] { $launches }試行の中央値、最良 { $best }
}
peers-case = ケース：{ $settings }
peers-in-cache = データがキャッシュに収まるため順位なし
peers-this-report = 本報告
peers-best-of = 記載値{ $count }件中の最良
peers-kind = { $kind ->
    [comparison] 出典による引用値
    [rounded] 出典による概数
   *[derived] 出典による導出値
}
peers-references = 参考文献
peers-chart-title = { $title }{ $per ->
    [node] （ノードあたり）
    [core] （コアあたり）
    [device] （アクセラレータあたり）
   *[whole] {""}
}
peers-axis = { $unit }{ $per ->
    [node] （ノードあたり）
    [core] （コアあたり）
    [device] （アクセラレータあたり）
   *[whole] {""}
}{ $scale ->
    [log] 、対数目盛
   *[linear] {""}
}
peers-chart-caption = ▸ は本システム。{ $better ->
    [lower] 小さいほど良い
   *[higher] 大きいほど良い
}。
peers-chart-log = 対数軸のため棒ではなく点で示す。
peers-chart-unranked = 表の{ $count }件は{ $per ->
    [core] コア
    [device] アクセラレータ
   *[node] ノード
}あたりの値を算出できないため図示していない。
peers-chart-cut = 上位{ $shown }件（全{ $all }件）を図示し、表には全件を示す。
peers-share-title = { $title }：理論性能比
peers-share-axis = 理論性能比（%）
peers-share-caption = 記載された比率がその報告自身の数値と整合しない場合は、再計算した値を図示した。
peers-on-nodes = { $nodes }ノード
peers-described = { $title }：{ $last }から{ $first }まで。本システムは{ $count }件中{ $place }位。

balance-caption = { $title }：ノードの演算性能とメモリバンド幅の釣合い（バンド幅を有効に用いる順）
balance-cores = コア数
balance-peak = 理論性能
balance-bytes-per-flop = B/F比
balance-rate = 実効性能
balance-flops-per-byte = { $bandwidth }あたりのflop/byte
balance-caches = キャッシュ
balance-last-level = コアあたりの最終レベルキャッシュ { $size }

first-mean = { $title }（幾何平均）
first-on-hosts = { $title }（{ $hosts }ノード）
first-at-size = { $title }（{ $size }）
first-aspect = { $aspect ->
    [compute] 演算
    [memory] メモリ
    [sparse] 疎行列・ステンシル解法
    [messages] 通信
    [noise] OSノイズ
    [storage] ストレージ
   *[other] その他
}
first-drawing-title = 代表値の上限性能比。上限は本システムで実測した性能による。長いほど良い。橙は失われた時間の割合で、短いほど良い。
first-range = { $count ->
    [1] { $best }の上限性能比は{ $most }である{ $own ->
        [yes] （独立した上限値をもつ唯一の性能値）
       *[no] {""}
    }。
   *[other] { $own ->
        [yes] 独立した上限値をもつ性能値のうち、
       *[no] {""}
    }上限性能比が最も高いのは{ $best }の{ $most }、最も低いのは{ $worst }の{ $least }である。
}
first-held-back = 最も影響の大きい要因：{ $what }。
first-cause = { $kind ->
    [others] 他プロセスの動作
   *[other] { $what }
}
first-disturbed = { $used ->
    [none] { $what }。
   *[known] 他の負荷あり：{ $used }。
}{ $all }ベンチマーク中{ $count }件に影響し、最大で{ $effect }を説明し得る。これらの値は本システムの性能を表しておらず、他の負荷がない状態での再測定を要する。
first-standing = 公表システムの中での順位：{ $places }。
first-place = { $named ->
    [yes] { $title }は
   *[no] {""}
}{ $count }システム中{ $place }位{ $per ->
    [node] （ノードあたり）
    [core] （コアあたり）
    [device] （アクセラレータあたり）
   *[whole] {""}
}
first-above = { $title }が上限の{ $share }に達している。上限を超えることはあり得ないため、いずれの値も用いる前に、他の負荷がない状態で上限値を測り直す必要がある。
first-no-share = { $kind ->
    [failed] 検証済みの値なし
    [crowded] 代表値なし（スレッドがプロセッサを共有）
    [served] 代表値なし（データがキャッシュ内）
    [lost] 失われた時間の割合
    [cached] データがキャッシュ内のため評価なし
    [unknown] 上限不明（性能が未測定）
   *[undefined] 上限の定義なし
}
first-described = { $title }：{ $value }、{ $share }{ $placed ->
    [yes] 、{ $place }
   *[no] {""}
}。
first-column-place = 公表システムの中での順位
first-costs-title = 影響の大きい要因
first-others-used = 今回の実行では、{ $used }
first-evidence = 根拠
first-confirm = 確認方法
first-cost = { $title }の{ $share }
first-costs = { $all ->
    [1] 損失の見込み { $shares }
   *[other] { $all }ベンチマーク中{ $count }件に影響、損失の見込み { $shares }
}（比較対象：{ $against ->
    [launches] 他の試行の中央値
    [samples] より良い標本
    [run] 最良の別の実行
    [setting] より良い設定
    [library] 最速のライブラリ
    [clock] 本来の動作周波数
    [state] 観測された最良の状態
    [peers] 同種のものの中央値
    [time] 全時間
    [limit] 上限
    [others] 他プロセスのない状態
    [hypervisor] ハイパーバイザに占有されない状態
    [quota] CPU割当上限のない状態
   *[without] この要因のない状態
}）

binding-title = { $bound ->
    [yes] { $host }のコア上の{ $ranks }ランク×{ $threads }スレッドの配置（数字はランク番号）。
   *[no] { $host }で{ $ranks }ランク（各{ $threads }スレッド）が使用し得るコア。スレッドは一つのコアに束縛されていない。
}{ $hosts ->
    [1] {""}
   *[other] 全{ $hosts }ノードの最初のノードを示す。
}
binding-described = { $title }{ $where }。
binding-rank = ランク { $rank }：論理プロセッサ { $processors }
binding-numa = NUMAノード { $number }
binding-socket = ソケット { $number }
binding-cores = コア
binding-devices = ランク{ $rank }の使用アクセラレータ：{ $devices }
binding-details = ランクの配置（実行中のスレッドから読み取ったもの）
binding-used-by = この配置による測定：{ $benchmarks }。

answer-machine = { $name }：{ $processors }、{ $cores }コア、メモリ{ $memory }{ $accelerated ->
    [yes] 、{ $devices }
   *[no] {""}
}
answer-median = 中央値
answer-of-limit = 上限性能比
answer-interval = 95%信頼区間
answer-own-best = * { $own }：上限は同じベンチマークで測定した値
answer-cause = { $what }。{ $cost }{ $checked ->
    [yes] 。確認方法：{ $confirm }
   *[no] {""}
}
peers-where = { $section }節{ $kind ->
    [none] {""}
    [figure] 、図{ $number }
   *[table] 、表{ $number }
}
peers-name = { $machine }、{ $part }
