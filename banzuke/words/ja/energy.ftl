# 各ケースの電力と消費エネルギー。
energy-title = 消費エネルギー
energy-of-timed-parts = 計測区間の消費エネルギー（試行の中央値）
energy-case = ケース
energy-joule = エネルギー
energy-timed = 計測区間
energy-mean-power = 平均電力
energy-above-idle = アイドル分を除く
energy-per-watt = 電力当たり性能
energy-covered = 測定範囲
energy-covers = { $what }（{ $how }）
energy-source = { $name }、{ $rate }
energy-package = プロセッサ
energy-dram = メモリ
energy-psys = ボード
energy-node = ノード全体
energy-device = アクセラレータ

energy-not-measured = 消費エネルギー：未測定（{ $why }）。
energy-no-sensor = 読み出せる電力センサがない
energy-no-timed-parts = プログラムが計測区間の時刻を記録していない
energy-too-short = 計測区間がセンサの更新間隔に対して短すぎる
energy-unusable = 使用できるセンサがない
energy-some-hosts = 同じ範囲を測定するセンサがすべてのホストにはない

energy-refused = { $hosts }のセンサ{ $sensor }は使用していない：{ $why }。
energy-stands-still = 値が変化しない
energy-goes-back = カウンタの値が逆行した
energy-impossible = 電源の定格ではありえない電力を示した
energy-stopped = 計測区間の途中で読み出しが途絶えた
energy-gap = 計測区間に読み出しの欠落がある
energy-seldom = 計測区間の長さに対して読み出し間隔が長すぎる
energy-clocks = ホスト間の時刻差は最大{ $difference }であり、その分を補正した。
energy-uncertainty = 読み出しの時刻が計測区間の両端と一致しないことによる不確かさは最大{ $share }。センサ自体の誤差は含まない。
energy-idle = 最初のケースの前に同じセンサで測定したアイドル電力：{ $watt }。
energy-no-idle = アイドル電力：未測定（最初のケースの前にほかの処理が動いていたか、読み出しの回数が不足）。
energy-accounted = Slurmの課金情報（{ $plugin }）によるステップ{ $step }（準備と検証を含む起動全体）のエネルギー：{ $seconds }で{ $joule }、平均{ $watt }。
energy-level =
    { $level ->
        [0] EEHPC WGの電力測定方法（2.0）のどのレベルにも達しない。レベル{ $next }を満たさない理由：{ $lacking }。
       *[other] EEHPC WGの電力測定方法（2.0）のレベル{ $level }に相当する。レベル{ $next }を満たさない理由：{ $lacking }。
    }
energy-level-scope = センサの測定範囲がノードの一部（電源より後段）に限られる
energy-level-time = 計測区間の合計が{ $least }未満
energy-level-rate = 読み出しが毎秒1回未満
energy-level-averages = 計測区間内の読み出しが{ $least }回未満
energy-level-nodes = 計算機のノード数が不明
energy-level-fraction = 全{ $all }ノードの{ $share }、{ $power }、{ $nodes }ノードのうち最大のものに測定範囲が満たない
energy-level-network = インターコネクトの電力が未測定
energy-level-integrated = 使用したセンサは瞬時電力を示し、連続的に積算したエネルギーではない
energy-level-accuracy = 計測器の精度が不明

report-method-energy = 各ケースの消費エネルギーは計測区間だけのものである。センサの読み出しの間は電力を一定とみなす。電力は重複して数えず、複数のセンサが同じ範囲を測定する場合は範囲の広いものを、範囲が同じなら瞬時電力より積算値を用いる。値が変化しない、逆行する、または電源の定格ではありえない電力を示すセンサは使用しない。
report-method-no-energy = 消費エネルギー：未測定（{ $why }）。
