# ノード数に対する性能の変化。

scaling-section = スケーリング
scaling-title =
    { $kind ->
        [strong] { $benchmark }：強スケーリング
        [weak] { $benchmark }：弱スケーリング
       *[throughput] { $benchmark }：独立実行のスループット
    }
scaling-nodes = ノード数
scaling-layout = ノードあたり
scaling-rate = 性能
scaling-interval = 95%信頼区間
scaling-speed-up = 速度向上率
scaling-efficiency = 並列化効率
scaling-launches = 試行数
scaling-sizes-differ = 問題サイズは最大{ $most }異なる（各ジョブが選択したため）。性能値で比較する。
scaling-beyond =
    { $kind ->
        [strong] 並列化効率が100%を超えている（{ $nodes }ノードで{ $efficiency }）。ノードあたりの問題が小さくなりキャッシュに載る割合が増えたか、最少ノード数の性能値が低い。ワーキングセットとキャッシュ容量を比較のこと。
        [weak] 並列化効率が100%を超えている（{ $nodes }ノードで{ $efficiency }）。問題が大きいほど通信などの割合が下がるか、最少ノード数の性能値が低い。
       *[throughput] 並列化効率が100%を超えている（{ $nodes }ノードで{ $efficiency }）。独立実行は互いに速くならないため、最少ノード数の性能値が低いか、そのノードが遅い。
    }
scaling-apart = { $nodes }ノードでは、すべてが専用のノードで同時には実行されていない。合計は同時実行時の性能ではない。
scaling-failed = { $number }試行は検証に合格せず、集計に含めない。
scaling-disturbed = { $nodes }ノードの{ $launches }試行は、他のプロセスまたはハイパーバイザに妨げられたため数えない。
scaling-state = 計算機の同じ状態（{ $state }）の試行のみを比較：{ $of }試行のうち{ $launches }試行。
scaling-elsewhere = { $nodes }ノードの測定は、すべて別の状態（{ $states }）であったため除外した。
scaling-copies-unlike = { $nodes }ノードの同時実行には、計算機の異なる状態（{ $states }）が混在している。
scaling-one-launch = 1試行のみのノード数があり、その並列化効率には信頼区間がない。--repeat 3を付けて測定のこと。
scaling-runs-apart = ノード数ごとに測定時刻が離れており、その間に計算機の状態が変わった可能性がある。並列化効率の信頼区間には、それぞれ3回以上、交互に数時間の間隔を置いた実行が必要。
scaling-models = 仕事量あたりのコスト（ノード数÷性能）のモデル
scaling-model = モデル
scaling-model-name =
    { $model ->
        [perfect] 理想スケーリング
        [amdahl] アムダール則
        [gustafson] グスタフソン則
        [messages] 通信（α、β）
       *[extra-p] Extra-P
    }
scaling-fitted = 推定結果
scaling-deviation = 残差
scaling-left-out = 予測誤差
scaling-ahead = { $nodes }ノードでの並列化効率
scaling-serial = 逐次部分の割合 { $share }（95%信頼区間：{ $low } – { $high }）
scaling-terms = コスト { $terms }
scaling-too-few = 測定したノード数は{ $number }通り。モデルの推定には{ $least }通りが必要。
scaling-few-for-terms = Extra-Pの項の選択には{ $least }通りのノード数が必要（測定は{ $number }通り）。
scaling-none-better = 理想スケーリングより正確に予測するモデルはない。
scaling-best = 最良のモデル：{ $model }、{ $fitted }。
scaling-next = 次に測定するノード数：{ $nodes }（ノード時間 約{ $cost }）。
scaling-next-separates = 次に測定するノード数：{ $nodes }（ノード時間 約{ $cost }）。{ $one }と{ $other }の予測の差が誤差を超える。
scaling-next-narrows = 次に測定するノード数：{ $nodes }（ノード時間 約{ $cost }）。最大ノード数の2倍における予測区間の幅が現在の{ $share }になる。
scaling-drawn = ノード数に対する性能。{ $low }から{ $high }まで。
scaling-efficiency-title = { $title }（並列化効率）
scaling-efficiency-drawn = ノード数に対する並列化効率。{ $low }から{ $high }まで。
scaling-axis-efficiency = 並列化効率（%）
scaling-axis-nodes = ノード数（対数目盛）
scaling-axis-rate = { $unit }（対数目盛）
scaling-caption = 点は試行の中央値、縦線は95%信頼区間、破線は最少ノード数からの理想スケーリング。
scaling-caption-fit = 点は試行の中央値、縦線は95%信頼区間、破線は最少ノード数からの理想スケーリング。実線は最良のモデル、帯は測定値の95%予測区間。
scaling-method = 並列化効率はノードあたりの性能を最少ノード数の値で割ったもの、速度向上率はそれにノード数を掛けたもの。信頼区間は、試行の中央値の対数に対するウェルチのt検定による幾何平均の比の区間。同じノード数で複数の設定を測定した場合は最速のものを用いる。モデルはノード数ごとの性能値に対する相対残差の最小二乗法で推定し、「予測誤差」は各性能値を残りから予測した誤差である。予測誤差が理想スケーリングの{ $better }以下で、各項が95%水準で0と異なるものを最良とし、同程度ならば単純なものを選ぶ。
