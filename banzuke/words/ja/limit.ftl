# 測定値の評価で見つかった要因、その根拠と確認方法。

# 性能値の評価。

limit-subject = { $value }{ $sized ->
    [yes] （メッセージサイズ { $size }）
   *[no] {""}
}{ $where ->
    [placed] （{ $on }）
    [part] （{ $available }コア中{ $cores }コア）
   *[all] {""}
}{ $launches ->
    [1] {""}
   *[other] （{ $launches }試行の中央値）
}
limit-of-limit = { $part ->
    [yes] 使用コア数分の
   *[no] {""}
}{ $own ->
    [itself] 自身の最良値（実測の{ $of }）
    [yes] { $of }
   *[no] 実測の{ $of }
}{ $kind ->
    [time] から求めた速度の{ $share }
   *[rate] の{ $share }
}
limit-of-peak = 理論値の{ $share }（{ $source }）
limit-unknown = 性能上限は不明：{ $reason }
limit-partly-cached = データの一部はキャッシュから供給された可能性がある
limit-see-warning = 性能上限を超過（注意を参照）
limit-undefined = この性能値には性能上限が定義されていない
limit-skipped = 省略：{ $reason }
limit-withheld = 検証不合格のため性能値なし：{ $quantity }は{ $value }（許容値 { $tolerance }）
limit-not-finite = 有限値でない
limit-no-figure = 性能値なし：{ $reason }
limit-in-cache = ワーキングセット{ $size }が最終レベルキャッシュ{ $cache }に収まるため、メモリ律速ではない
limit-partly-in-cache = データの一部が最終レベルキャッシュ{ $cache }に残りうる
limit-partly-nearer = データの最大{ $share }は{ $kind ->
    [last] 最終レベルキャッシュ{ $cache }
   *[nearer] コアに一段近いキャッシュ{ $cache }
}から供給されうるため、残りのみを下位の階層からの転送として数えた
limit-in-memory = ワーキングセット{ $size }は最終レベルキャッシュ{ $cache }より十分大きい
limit-official = 公式規則をすべて満たす（VALID）
limit-unofficial = VALIDだが公式記録ではない：{ $violations }
limit-violation = { $rule }のところ { $found }

# 性能上限の根拠。

limit-ceiling = { $name } { $rate }（{ $source }）
limit-sources = { $sources }
limit-noted = { $source }、{ $note }
limit-own-bound = { $source }
limit-derived = { $derivation }
limit-derived-of-device = { $derivation }（{ $device }）
limit-measured-by = { $benchmark }{ $metrics ->
    [1] {""}
   *[other] （{ $metric }）
}による実測、{ $hosts ->
    [1] {""}
   *[other] { $hosts }ホスト×
}{ $devices ->
    [0] { $cores }コア
   *[other] アクセラレータ{ $devices }台
}{ $device ->
    [none] {""}
   *[other] （{ $device }）
}
limit-known-on = { $source }{ $cores ->
    [0] {""}
   *[other] 、{ $cores }コア
}
limit-other-state = { $state }の状態では（十分なデータ量で、かつ他のプロセスの影響なしには）未測定のため、他の状態での最良値
limit-state-unknown = この試行の状態が不明のため、全状態での最良値
limit-state-moved = この試行中にプロセッサが移動したため、全状態での最良値
limit-uncertain-state = { $state }の状態で測定したかは不明
limit-in-state = { $total ->
    [1] { $state }の状態
   *[other] { $total }回の試行のうち{ $launches }回は{ $state }の状態
}
limit-state-met = { $state }の状態が{ $launches }回
limit-states-met = 測定中に計算機の状態が変化した（{ $states }）。
limit-own-state = 各数値は、測定済の場合、同じ状態で測定した上限と比較している。
limit-launches-moved = { $benchmarks }の{ $launches }回の試行中にプロセッサが移動した。全状態で最良の上限値と比較しているため、上限性能比は低すぎる可能性がある。
limit-host-apart = { $host }が全ホストの速度を決めている{ $total ->
    [1] {""}
   *[other] （{ $total }試行のうち{ $launches }試行）
}。{ $how }
limit-host-far = プロセッサ間のキャッシュライン転送時間は{ $time }、{ $host }では{ $least }
limit-host-near-before = プロセッサ間のキャッシュライン転送時間は{ $time }、他の試行ではより短い
limit-host-clock = 動作周波数は{ $clock }、{ $host }では{ $most }
limit-small-for-caches = データ量{ $size }が最終レベルキャッシュ{ $cache }の{ $times }倍未満のため、一部はキャッシュから供給された可能性がある
limit-others-used = 測定中に他のプロセスまたはハイパーバイザがプロセッサを使用したため、これを上回る可能性がある
limit-ceilings-small = 次の上限値は高すぎる可能性がある。データの一部がキャッシュから供給された可能性があり、より大きいケースの測定がない：{ $rates }。
limit-ceilings-disturbed = 次の上限値は低すぎる可能性がある。測定した全試行で他のプロセスまたはハイパーバイザがプロセッサを使用した：{ $rates }。
limit-ceilings-apart = { $why ->
    [cached] データの一部がキャッシュから供給された可能性があるため、より高い値を上限値としていない
   *[size] 同じケースの他の問題サイズではより低いため、最も高い値を上限値とした
}：{ $rates }。
limit-ceiling-rate = { $name } { $rate }
limit-ceiling-apart = { $name } { $rate }（{ $other }ではなく）
limit-short-case = { $source }、本評価のための短い測定
limit-from-run = { $source }、{ $age }の実行 { $run }
limit-earlier-unknown = 別の時点
limit-days = { $days }日前
limit-age = { $duration }{ $when ->
    [earlier] 前
   *[later] 後
}
limit-times-hosts = { $hosts }ホスト分
limit-times-devices = アクセラレータ{ $devices }台分
limit-whole-machine = 計算機全体の値（使用は{ $available }コア中{ $cores }コア）
limit-area-described = 構成情報に記載されたストレージ領域 { $area } のバンド幅
limit-area-link = ホストからストレージ領域 { $area } への通信路 { $rate }
limit-of-area = ストレージ領域 { $area }
limit-scaled = { $reached }コアの値を{ $cores }コアに換算
limit-scaled-kinds = 全コアの速度の合計の{ $part }
limit-scaled-clock = 1コア時の動作周波数{ $alone }を使用（全コア時 { $together }）
limit-scaled-clock-all = 全コア時の動作周波数{ $together }を使用（1コア時 { $alone }）
limit-moved = 計上1バイトあたり{ $ratio }バイトを転送
limit-own-ceiling = 自身の上限値：上限値となり得る自身のケースのうち最良の値
limit-own-best = 自身の最良値との比
limit-of-its-limit = 上限性能比
limit-share = { $of } { $share }
limit-legend = 上限性能比：本システムで実測した速度から得られる最良値に対する中央値の割合。「自身の最良値との比」は、ベンチマーク自身がその速度を測定したもので、自身の値どうしの比較にとどまる
limit-unmeasured = { $resource }の{ $kind ->
    [measured] 速度
   *[theoretical] 理論速度
}を測定するベンチマークがない
limit-unknown-above = { $rate }の上限が未測定（`banzuke machine`で測定）
limit-unknown-rate = { $rate }が未測定（`banzuke run { $benchmark }`で測定）
limit-unknown-rate-of-device = { $device }の{ $rate }が未測定（`banzuke run { $benchmark }{ $number ->
    [none] {""}
   *[other] {" "}--devices { $number }
}`で測定）
limit-unknown-peak-of-device = { $device }の{ $rate }の理論値が不明
limit-unknown-kind-of-device = 使用したアクセラレータの種類を特定できないため、{ $rate }は不明
limit-unknown-peak = { $rate }の理論値が不明
limit-unknown-peak-why = { $rate }の理論値が不明：{ $why }
limit-nothing-known = 使用する資源の速度がすべて不明
limit-other-unit = この指標の単位{ $unit }では処理量が計上されていない

# 性能上限を超えた性能値。

limit-above = { $figure }：{ $value }は性能上限の{ $share }（{ $source }）{ $others ->
    [0] {""}
   *[other] 。同じケースの他の{ $others }件も超過
}。{ $why }
limit-above-caches = キャッシュの性能が測定されている：{ $why }
limit-above-own = 上限の測定時に外乱があったか、より速い経路がある。再測定する
limit-above-other-run = 上限値は実行{ $run }のもので、当時は計算機が遅かったか、データがキャッシュに残った可能性がある。同じ実行の中で再測定する
limit-above-memory = データがキャッシュに残ったか、上限の測定時に他の処理が動作していた可能性がある。無負荷の状態で再測定する
limit-above-area = 上限の測定時に他の利用者がストレージ領域を使用していたか、今回はキャッシュが応答した可能性がある。同じ実行の中で再測定する
limit-above-clock = 動作周波数は本測定で{ $clock }、上限の測定時は{ $reference }。無負荷の状態で再測定する
limit-above-compute = 上限の測定時に他の処理が動作していたか動作周波数が低かった、または演算量が過大に計上されている可能性がある。無負荷の状態で再測定する
limit-cached = 転送の一部はメモリではなくキャッシュから供給された可能性がある：{ $why }
limit-may-fit = 1標本の転送量は最大{ $moved }で、最終レベルキャッシュ{ $cache }の{ $factor }倍に満たない
limit-beyond-area = { $figure }：{ $value }は、ストレージ領域とその通信路が出せる値の{ $share }（{ $source }）。キャッシュが応答したか、これらのバンド幅の記載が低すぎる。上限値には用いない{ $others ->
    [0] {""}
   *[other] （同じケースの他の{ $others }件も同様）
}
limit-beyond-peak = { $figure }：{ $value }は理論性能の{ $share }（{ $source }）。理論性能の見積もりが低い{ $others ->
    [0] {""}
   *[other] （同じケースの他の{ $others }件も同様）
}：{ $why }
limit-peak-other-path = メッセージが想定と異なる経路を通ったか、実際の構成より遅い値を仮定している
limit-peak-of-memory = メモリチャネルの数または速度が過小であるか、データがキャッシュに残った
limit-peak-of-link = リンクまたはレーンの数か速度が過小であるか、データが別の経路を通った
limit-peak-of-clock = { $nominal }と仮定しているが、実測の動作周波数は{ $clock }
limit-peak-of-units = 動作周波数が仮定を上回ったか、演算器の数が過小である

# 変更項目の効果。

limit-no-times = ソフトウェアによる模擬のため、時間に意味がない
limit-incomparable = { $reason }
limit-one-launch = 1試行のみのため判定なし
limit-no-difference = 有意差なし
limit-times = 性能が{ $how ->
    [better] { $ratio }倍
   *[worse] { $ratio }分の1
}
limit-percent = 性能が{ $change }{ $how ->
    [better] 高い
   *[worse] 低い
}

limit-first-value = 最初の値
limit-figure = 性能値
limit-best = { $figure }：{ $value }が最良（{ $second }の{ $ratio }倍）
limit-best-of-one-launch = { $figure }：{ $value }が最良（{ $second }の{ $ratio }倍、1試行のみの結果）
limit-ratios = { $axis }：{ $reference }に対する比（1より大きいほど良い）

limit-setting = { $names }の設定に改善の余地あり
    .evidence = { $run ->
        [same] 同じ実行
       *[other] 別の実行
    }では{ $shown }で性能が{ $ratio }倍
    .confirm = { $shown }で再測定する
limit-so-many = { $number }{ $of ->
    [threads] スレッド
   *[ranks] ランク
}
limit-set = { $name }={ $value }
limit-default = 既定値

limit-repetition = 実行間の変化
    .evidence = 同じケースが{ $date } { $time }（{ $run ->
        [same] 同じ実行
       *[other] 別の実行
    }）では性能が{ $ratio }倍
    .confirm = 無負荷の状態で再測定し、改善しなければソフトウェアとカーネルの設定を比較する

limit-slow-blas = 本計算機で最速ではないBLASライブラリ
    .evidence = 短い試験で{ $used }は{ $rate }、{ $fastest }は{ $best }（{ $ratio }倍）
    .confirm = --library { $path }で測定する
limit-slow-mpi = 本計算機で最速ではないMPIライブラリ
    .evidence = ホスト内の短い試験で、{ $figure ->
        [latency] 8 Bの通信時間が{ $used }は{ $value }、{ $fastest }は{ $best }
        [allreduce] 8 BのAllreduceの時間が{ $used }は{ $value }、{ $fastest }は{ $best }
       *[bandwidth] 1 MiBのメッセージのバンド幅が{ $used }は{ $value }、{ $fastest }は{ $best }
    }（{ $ratio }倍）
    .confirm = { $built ->
        [yes] --build { $build }で測定する
       *[no] make build NAME={ $build } MPI={ $folder }を実行し、--build { $build }で測定する
    }
limit-steered-blas = { $variable }によりBLASライブラリが本来と異なるカーネルを使用
    .evidence = 本測定では{ $variable }={ $value }が設定されていた
    .confirm = { $variable }を設定せずに測定する
limit-slowed-blas = { $variable }によるBLASライブラリの低速化
    .evidence = { $blas }は{ $variable }の設定時に遅く、本測定ではこれが解除されていない
    .confirm = { $variable }を解除して測定する
limit-preloaded = { $variable }によるライブラリ関数の置換え
    .evidence = { $variable }={ $value }が設定され、プログラム自身のライブラリより先に読み込まれるため、測定対象が置き換えられている可能性がある
    .confirm = { $variable }を解除して測定する
limit-steered-threads = シェルの変数がスレッドの動作を変えている
    .evidence = { $variables }{ $number ->
       *[other] が設定され、プログラムに引き継がれている
    }
    .confirm = { $variables }を設定せずに測定する
limit-copied-twice = ホスト内のランク間のメッセージが2回コピーされる
    .evidence = { $refused ->
        [yes] 1回のコピーで済ませるcross-memory attachがここでは禁止されている（{ $reason }）
       *[no] { $variables }{ $number ->
           *[other] が設定され、MPIは1回のコピーによる転送を行わない
        }
    }
    .confirm = { $refused ->
        [yes] これを許可して再測定する。コンテナでは--cap-add=SYS_PTRACEまたは--security-opt seccomp=unconfined、それ以外ではkernel.yama.ptrace_scope=0
       *[no] { $variables }を設定せずに測定する
    }
limit-plain-stores = 通常のストア命令：書き込み前にキャッシュラインを読み出す
    .evidence = { $counted ->
        [yes] 通常のストア命令を使用。計上1バイトあたり{ $ratio }バイトを転送
       *[no] 通常のストア命令を使用。ラインの読み出しの転送量は計上されていない
    }
    .confirm = stores=nontemporalで測定する

limit-shared-processor = 1つのプロセッサに複数のスレッド
    .evidence = { $host }のプロセッサ { $processors }（{ $number }個）に{ $threads }スレッドを束縛
    .confirm = 独自の束縛を外すか、スレッドごとに1プロセッサを割り当てて測定する
limit-own-placement = シェルの変数がスレッドを配置している
    .evidence = { $variables }{ $number ->
       *[other] が設定されているため、プログラムはスレッドを1プロセッサずつに束縛していない
    }
    .confirm = { $variables }を設定せずに測定する
limit-no-headline = 代表値としない：{ $host }のプロセッサ { $processors }（{ $number }個）を{ $threads }スレッドが共有{ $set ->
    [yes] （{ $variables }{ $number_set ->
       *[other] が設定されていた
    }）
   *[no] {""}
}
limit-crowded-in = { $run }では{ $case }の{ $threads }スレッドがプロセッサ { $processors }（{ $number }個）を共有したため、代表値としない{ $set ->
    [yes] （{ $variables }{ $number_set ->
       *[other] が設定されていた
    }）
   *[no] {""}
}
limit-no-headline-cached = メモリの代表値としない：ワーキングセット{ $size }が最終レベルキャッシュ{ $cache }に収まる
limit-served-in = { $run }では{ $case }のワーキングセット{ $size }が最終レベルキャッシュ{ $cache }に収まるため、メモリの代表値としない
limit-each-host = { $number }ホスト（{ $hosts }）のそれぞれ
limit-unbound = スレッドが束縛されておらず、プロセッサ間を移動しうる
    .evidence = { $host }の{ $threads }スレッド中{ $loose }スレッドが複数のプロセッサで実行可能（うち1つは{ $processors }プロセッサ）
    .confirm = 各スレッドを1プロセッサに束縛する。性能が上がるか、ばらつきが減るはずである
limit-too-many-threads = プロセッサ数を超えるスレッド数
    .evidence = { $threads }スレッドが{ $processors }プロセッサを共有
    .confirm = 合計{ $processors }スレッドで測定する
limit-smt-siblings = { $certain ->
    [yes] 同一コアを共有するスレッドあり
   *[no] 同一コアを共有するスレッドの可能性
}
    .evidence = { $host }で{ $threads }スレッドを束縛し、うち{ $number }スレッドはコアの2番目のハードウェアスレッド（プロセッサ { $processors }）。ジョブのコア数は{ $cores }
    .confirm = プロセッサ{ $usable }を用い、1コア1スレッドで測定する
limit-idle-cores = メモリバンド幅を使い切るにはコア数が不足
    .evidence = { $available }コア中{ $cores }コアを使用
    .confirm = 合計{ $available }スレッドで測定する
limit-unlike-cores = { $cores }コア中{ $slow }コアの速度は{ $ratio }倍：均等な分割では、その終了を待つ
    .evidence = { $host }のスレッドを束縛したコア：{ $kinds }（{ $how ->
        [measured] 全コア同時のベクトルFMAで実測した1コアあたりの値
        [nominal] 公称周波数
       *[highest] 最大周波数
    }）。均等な分割では、合計の{ $used }しか使わない
    .confirm = 残りの{ $left }コアのみで測定する（--cores { $others }）。分割が均等なら、性能は{ $gain }倍になるはずである
limit-of-kind = { $number }コア（{ $kind }）{ $speed }
limit-small-pages = 小さいページによるTLBミスの増加
    .evidence = プロセスのメモリの{ $share }がラージページ上。THPの設定：{ $setting }
    .confirm = { $remedy ->
        [ask] base以外のページを指定して測定する
        [enable] root権限で「echo madvise > /sys/kernel/mm/transparent_hugepage/enabled」を実行し、再測定する
       *[free] メモリを解放し、カーネルが連続したページを確保できる状態で再測定する
    }
limit-page-migration = カーネルのNUMA balancing：利用元を調べるためにページの割り当てが一時的に外される
    .evidence = NUMAノード数 { $nodes }、numa_balancingの設定は{ $setting }
    .confirm = root権限で「sysctl kernel.numa_balancing=0」を実行し、再測定する

limit-low-clock = プロセッサの動作周波数の低下
    .evidence = 測定直後 { $clock }、{ $kind ->
        [measured] 計算機情報の取得時
       *[nominal] 公称値
    } { $reference }
    .confirm = 測定中の動作周波数、温度、電力制限を監視し、`banzuke machine`を再実行する
limit-below-nominal = 公称値を下回るプロセッサの動作周波数
    .evidence = 全コアのベクトル演算時 { $clock }、公称値 { $nominal }
    .confirm = 幅の広いベクトル命令では仕様として動作周波数が下がることがある。そうでなければ電力制限、冷却、周波数ガバナを確認する
limit-governor = 省電力の周波数ガバナ
    .evidence = カーネルの周波数ガバナは{ $governor }
    .confirm = root権限で「cpupower frequency-set -g performance」を実行し、再測定する
limit-preempted = スレッドのプリエンプション
    .evidence = { $seconds }の間に非自発的コンテキストスイッチ{ $switches }回（1スレッドあたり毎秒{ $rate }回）
    .confirm = 他の処理を止めるか1コアを他の処理用に空け、再測定する
limit-busy-neighbours = 他プロセスの動作
    .evidence = このケースの測定中、計算機のプロセッサ時間の{ $share }を他プロセスが使用
    .confirm = 他プロセスを停止し（topで確認）、再測定する
limit-near-processors = ハイパーバイザが仮想プロセッサを近接配置し、メモリへの経路を共有
    .evidence = スレッド間のキャッシュライン転送に{ $time }、同じプロセッサでの別の試行では{ $farthest }
    .confirm = 転送時間の等しいケース同士を比較する。固定配置の仮想プロセッサを要求する
limit-hypervisor = ハイパーバイザ
limit-stolen-time = ハイパーバイザによるプロセッサ時間の占有
    .evidence = 時間の{ $share }を{ $hypervisor }が占有
    .confirm = 別の時間帯、または専有プロセッサの仮想計算機で測定する
limit-throttled = コントロールグループのCPU割当上限
    .evidence = { $seconds }の測定中、{ $lost }の間プロセスが停止
    .confirm = 割当（cpu.max）の拡大を依頼するか、スレッド数を減らして測定する
limit-quota-changed = 測定中のコントロールグループのCPU割当上限の変更
    .evidence = ケースの実行中に、割当が{ $before }プロセッサから{ $after }プロセッサに変わった
    .confirm = 割当を変えずに再測定する。各群と各ランクの分担は、変わる前の性能による
limit-quota = コントロールグループのCPU割当上限
    .evidence = { $threads }スレッドに対し割当は{ $quota }プロセッサ
    .confirm = { $fewer }スレッドで測定するか、割当（cpu.max）の拡大を依頼する
limit-load = ケース開始前からの負荷
    .evidence = 開始時のロードアベレージは{ $load }（直前のケースによる可能性もある）
    .confirm = 無負荷の計算機で、このケースだけを測定する
limit-varying = 測定中に断続する外乱
    .evidence = { $samples }標本の中央値は{ $than ->
        [fastest] 上位5%
       *[best] 最良
    }より{ $gap }低い性能
    .confirm = 無負荷の状態で再測定し、ばらつきが残れば動作周波数と他プロセスを確認する
limit-slow-samples = 著しく長い少数の呼び出し
    .evidence = { $samples }標本の{ $share }が時間の{ $time }を占め、最長は中央値の{ $ratio }倍
    .confirm = プロセッサへの割り込み要因（カーネルのタイマ、デーモン、ハイパーバイザ）を調べる

# アクセラレータ。

limit-device-throttled = アクセラレータ{ $device }は計測区間の{ $share }で動作周波数が抑制された（{ $reason ->
    [power] 電力制限
    [heat] 温度
   *[hardware] ハードウェアによる減速
}）
limit-device-power = 電力制限によるアクセラレータの動作周波数の低下
    .evidence = アクセラレータ{ $device }は計測区間の{ $share }で電力制限により抑制。動作周波数の中央値は{ $clock }、最大は{ $highest }
    .confirm = 消費電力を制限値と比較する（nvidia-smi -q -d POWER）。既定の制限値であれば、アクセラレータ自体の限界である
limit-device-power-lowered = 既定値より低いアクセラレータの電力制限
    .evidence = アクセラレータ{ $device }の電力制限は{ $limit }（既定値は{ $default }）で、計測区間の{ $share }でこれにより抑制。動作周波数の中央値は{ $clock }、最大は{ $highest }
    .confirm = サイトの設定かどうかを確認し、root権限で「nvidia-smi -pl 既定値」を実行して再測定する
limit-device-hot = 温度によるアクセラレータの動作周波数の抑制
    .evidence = アクセラレータ{ $device }は計測区間の{ $share }で温度（最高{ $degrees } °C）により抑制。動作周波数の中央値は{ $clock }、最大は{ $highest }
    .confirm = ファン、気流、冷却水を確認し、間を置いて再測定し、最初の数分を比較する
limit-device-slowdown = ハードウェアによるアクセラレータの動作周波数の低下
    .evidence = アクセラレータ{ $device }は計測区間の{ $share }でハードウェアまたは電源の電力制動により減速。動作周波数の中央値は{ $clock }、最大は{ $highest }
    .confirm = 電源ケーブルと電源装置、カーネルログのドライバのメッセージ（Xid）を確認する
limit-device-held-clock = 抑制要因なしに最大値を下回るアクセラレータの動作周波数
    .evidence = アクセラレータ{ $device }の動作周波数の中央値は{ $clock }、最大は{ $highest }{ $by ->
        [clock_setting] 。動作周波数の設定値による制限あり
        [sync_boost] 。ドライバが同じグループのアクセラレータの動作周波数に合わせている
       *[unknown] {""}
    }
    .confirm = 設定された動作周波数を確認し（nvidia-smi -q -d CLOCK）、root権限で「nvidia-smi -rgc」と「nvidia-smi -rac」を実行して再測定する
limit-device-link = 本来より遅いアクセラレータのリンク
    .evidence = 負荷時のアクセラレータ{ $device }のリンクはPCI Express Gen{ $generation } x{ $width }。{ $slot ->
        [slot] 別のスロットでは
       *[device] {""}
    }Gen{ $best } x{ $widest }が可能
    .confirm = スロット、ライザ、ファームウェアの設定を確認し（lspci -vvのLnkCapとLnkSta）、カードを挿し直す
limit-device-ecc = 誤り訂正によるアクセラレータのメモリバンド幅の低下
    .evidence = アクセラレータ{ $device }はECCが有効で、{ $bits }ビット幅のメモリ自体に検査ビットを置く
    .confirm = 誤りが許容できるなら、root権限で「nvidia-smi -e 0」を実行し、リセット後に再測定する
limit-device-errors = アクセラレータのメモリの誤り
    .evidence = 測定中、アクセラレータ{ $device }で訂正された誤り{ $corrected }件、訂正できない誤り{ $uncorrected }件を計数
    .confirm = 「nvidia-smi -q -d ECC,ROW_REMAPPER」を確認し、増え続けるならアクセラレータの検査を依頼する
limit-device-repair = 置換されていない誤りのあるメモリ
    .evidence = アクセラレータ{ $device }の誤りのあるメモリの予備領域への置換が{ $state ->
        [pending] リセット待ち
       *[failed] 失敗
    }
    .confirm = 「nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT」を確認し、アクセラレータのリセットまたは交換を管理者に依頼する
limit-device-far = アクセラレータから遠いランクの配置
    .evidence = ランク{ $ranks }は、アクセラレータ{ $device }が接続されたNUMAノード{ $node }の外のプロセッサで動作
    .confirm = 束縛をBanzukeに任せるか、そのノードのコアを指定する
limit-device-far-memory = アクセラレータから遠いホストメモリ
    .evidence = メモリはNUMAノード{ $nodes }に割り当てられ、アクセラレータ{ $device }はノード{ $node }に接続
    .confirm = 「--memory bind:{ $node }」で再測定する
limit-device-shared = 他プロセスによるアクセラレータの使用
    .evidence = ケースの開始前からアクセラレータ{ $device }で{ $processes }プロセスが動作
    .confirm = それらを終了し（nvidia-smiで確認）、再測定する
limit-device-start = プログラムごとのアクセラレータの初期化
    .evidence = 最初の計測区間までに{ $seconds }を要し、アクセラレータ{ $device }のパーシステンスモードは無効
    .confirm = root権限でnvidia-persistencedを起動するか「nvidia-smi -pm 1」を実行し、再測定する

# 1 つのケースの複数の試行。

limit-none-verified = { $launches }試行のいずれも検証に至らず
limit-some-verified = { $launches }試行中{ $verified }試行が検証済み
limit-launches-failed = { $number }試行が{ $status ->
    [skipped] 省略
   *[failed] 失敗
}：{ $reason }
limit-launch-apart = 試行 { $launch }/{ $launches }の性能は他の試行の{ $how ->
    [better] { $ratio }倍
   *[worse] { $ratio }分の1
}：{ $seen }
limit-launch-stands-out = 他と大きく異なる試行
    .evidence = 試行 { $launch }/{ $launches }（{ $time }開始）は{ $value }、他は{ $others }。この試行では{ $seen }
    .confirm = 中央値には影響しない。試行数を増やせば（--repeat 5）再現するか判断できる
limit-launches-gave = 各試行は{ $gave }
limit-launches-differ = 試行間のばらつきが通常より大きい
    .evidence = { $verified }試行で{ $gave }（ばらつき { $spread }）。最も悪い試行 { $launch }/{ $launches }では{ $seen }
    .confirm = 無負荷の状態で、試行数を増やして（--repeat 5）再測定する
limit-disturbed = { $launches }試行中{ $disturbed }試行で、{ $used }。これらは計算機単独の性能値ではない。他プロセスを停止し（topで確認）、再測定する
limit-used-by-others = 他プロセスがプロセッサの{ $share }（{ $apart ->
    [yes] これらの試行の中央値、{ $benchmark }で最大{ $most }
   *[no] 中央値
}）を使用した
limit-disturbed-in = { $run }：{ $what }
limit-launch-busy = 他プロセスがプロセッサ時間の{ $one }を使用（他の試行では{ $usual }）
limit-launch-stolen = ハイパーバイザが時間の{ $one }を占有（他の試行では{ $usual }）
limit-launch-throttled = CPU割当上限により時間の{ $one }の間プロセスが停止（他の試行では{ $usual }）
limit-launch-clock = 動作周波数は{ $one }（他の試行では{ $usual }）
limit-launch-preempted = 1スレッドあたり毎秒{ $one }回のプリエンプション（他の試行では{ $usual }回）
limit-launch-pages = データの{ $one }がラージページ上（他の試行では{ $usual }）
limit-launch-distance = スレッド間のキャッシュライン転送に{ $one }（他の試行では{ $usual }）
limit-launch-processors = スレッドが異なるプロセッサで動作
limit-launch-hosts = 異なるホストで動作
limit-launch-alike = 記録された条件に違いなし

# OSノイズ。


# 行列群の問題。

limit-problems =
    { $solver ->
        [none] { $problems } { $number }件
       *[other] { $problems } { $number }件（{ $solver }）
    }{ $failed ->
        [0] { "" }
       *[other] 、うち{ $failed }件は検証不合格または失敗
    }
limit-problems-without-figure = 測定値なし
limit-problems-mean = 幾何平均 { $mean }
limit-problems-of-limit = キャッシュより十分大きい{ $number }件は上限性能比 { $share }、最低 { $least }（{ $which }）
limit-problems-without-limit = 性能上限は不明：{ $why }
limit-problems-in-cache = キャッシュより十分大きいものはない
