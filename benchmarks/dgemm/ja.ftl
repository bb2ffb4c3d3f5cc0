# 仕様で英語で宣言した語。
dgemm-title = DGEMM
dgemm-metric-flop_rate = DGEMM
dgemm-plot-flop_rate-k = 内側次元kに対する演算性能
dgemm-check-residual-with-a-random-vector = 乱数ベクトルによる残差
resource-flops-fp64 = 倍精度演算性能
dgemm-register-rate = レジスタ内FMA演算性能
dgemm-without-memory = メモリアクセスなしの実測
dgemm-probed = { $library }によるDGEMMの短い測定
dgemm-metric-sum_of_parts = 単独測定の合計
dgemm-check-columns-not-computed-once-in-each-call = 各呼び出しで一度だけ計算されなかった列
bound-the-sum-of-the-groups-rates-each-measured-alone = 単独で測定した各ランク群の性能の合計
dgemm-shared = ランク群が分担する一つの行列積
dgemm-group = ランク群{ $number }
dgemm-processors = プロセッサ{ $cpus }
dgemm-device = アクセラレータ{ $device }（プロセッサ{ $cpu }）
dgemm-other-groups = 他の{ $number }群
dgemm-alone = { $group }単独
dgemm-sum = 単独測定の合計
dgemm-product = 全群同時
dgemm-links-allow = ホストリンクの上限
dgemm-together = 全群同時、{ $split }
dgemm-of-sum = 合計に対する割合
dgemm-of-peak = 理論性能比
dgemm-share = { $group }の分担
dgemm-shared-caption = 全群同時の行列積と、同じ時間帯に測定した各群単独の性能（アクセラレータとの転送を含む）。単独測定の合計に対する到達割合と、各群が計算したCの割合。中央値。
dgemm-why = { $split ->
    [equal] 性能によらずプロセッサ当たり均等に分担した
    [rates] 各群の単独性能に応じて分担した
    [adaptive] 各群の単独性能に応じて分担し、実行中に補正した
   *[other] 指定どおりに分担した（{ $split }）
  }。単独では{ $groups }がそれぞれ{ $rates }で、Cの{ $shares }を計算した。同時では合計{ $sum }の{ $reached }に達した{ $link ->
    [binds] 。k = { $k }では、アクセラレータ1台の性能はホストとの間のリンクにより{ $bound }に制限される{ $least ->
        [0] （この行数では、どのkでも制限される）
       *[other] （k = { $least }以上では制限されない）
      }
    [free] 。k = { $k }では、ホストとの間のリンクはアクセラレータの性能を制限しない
   *[none] { "" }
  }
dgemm-host-link = ホストとアクセラレータの間の転送
    .evidence = k = { $k }では、片方向{ $link }のリンクによりアクセラレータの分担は{ $bound }に制限される。転送がなければ{ $device }で計算できる
    .confirm = { $least ->
        [0] 行が多いほど転送の割合は小さい。mとkを大きくして確かめる
       *[other] k = { $least }以上では、転送時間は計算時間を超えない
      }
dgemm-rates-over = { $label ->
    [none] { $along }に対する分担した行列積の性能
   *[other] { $along }に対する分担した行列積の性能：{ $label }
  }
dgemm-rates-drawn = 全群同時で、単独測定の合計の{ $low }から{ $high }に達した。
dgemm-rates-caption = 太線：分け方ごとの全群同時。破線：色で示した各群の単独測定の合計。中央値。
dgemm-shares = 各群が計算した量
dgemm-shares-drawn = 最良のケースは{ $rate }で、単独測定の合計の{ $share }に達した。
dgemm-axis-share = Cの割合（%）
dgemm-shares-caption = 印：単独性能に比例して分担した場合の境界。{ $more ->
    [0] { "" }
   *[other] 他の{ $more }ケースは表にある。
  }
dgemm-trace = { $label ->
    [none] 各群の計算の時間経過
   *[other] 各群の計算の時間経過：{ $label }
  }
dgemm-trace-drawn = 全群の性能は最高値の{ $least }まで下がった。
dgemm-trace-caption = 計時した呼び出し（細線で区切る）にわたる各群の性能の積み重ね。遅くなった群の帯は細くなり、帯がない間、その群は他を待っている。
dgemm-axis-seconds = 呼び出しの秒数
dgemm-sum-line = 単独測定の合計{ $rate }
dgemm-more-traces = 他のケースの時間経過

# 実行中の状態。
dgemm-seen-shares = 各ランク群の分担
dgemm-seen-rates_alone = 各ランク群の単独性能
dgemm-seen-libraries = 各ランク群のライブラリ
dgemm-seen-methods = 各ランク群の実装方式
dgemm-seen-library_binding = ライブラリ自身のスレッドの束縛
dgemm-unpredicted = 他の予測の出発点となる値であり、仕様からは理論性能に対する割合としてしか求められない
