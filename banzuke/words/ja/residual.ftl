# 測定値と、ベンチマークのモデルによる予測値との比較。

residual-at-scale = 大規模構成での予測
residual-at-scale-intro = ノード数を増やした場合や、構成を変更した場合の性能を予測できる。1行目のコマンドは1つの性能値を予測し、2行目は値を変えながら結果を確認できるページを作成する。ネットワークは一例であり、計画しているもの（リンク1本の片方向、バイト毎秒）を指定する。
residual-heading = 測定値と予測値
residual-intro = 予測値は、計算機の記述と、同じ実行で他のベンチマークが測定した性能値から求める。予測の幅は、仮定した値の不確かさによる。実測予測比は、測定値を予測値で割った値である。試行間の95%信頼区間が予測の幅と重なる場合は、両者は矛盾しない。
residual-caption = 予測値
residual-predicted = 予測値
residual-interval = 予測の幅
residual-measured = 測定値
residual-ratio = 実測予測比
residual-outside = 予測の幅の外
residual-explained = { $what }が{ $factor }倍であれば、予測値は測定値に一致する
residual-implausible = { $what }が{ $factor }倍でなければ予測値は測定値に一致せず、そのような誤差は考えにくい
residual-unexplained = 単独の入力値の誤差では説明できない
residual-apart = 差が最も大きい部分は{ $phase }（予測 { $predicted }、測定 { $measured }）
residual-none = 予測なし：{ $why }
residual-unknown = { $rates }が不明（同じ実行の他のベンチマークで測定されておらず、記述もない）
residual-not-finite = モデルの値が有限でない
residual-disturbance = { $kind ->
    [shared] スレッドによるプロセッサの共有
    [hypervisor] ハイパーバイザによる占有{ $known ->
        [yes] （時間の{ $share }）
       *[no] {""}
    }
    [quota] CPU割当上限{ $known ->
        [yes] （{ $share }）
       *[no] {""}
    }
   *[others] 他プロセスの動作{ $known ->
        [yes] （プロセッサの{ $share }）
       *[no] {""}
    }
}
residual-disturbed = 主な要因とみられるもの：{ $what }
residual-disturbed-remark = 予測値（{ $predicted }）の{ $share }であり、主な要因とみられるものは{ $what }
residual-remark = { $kind ->
    [explained] 予測値（{ $predicted }）の{ $ratio }倍であり、{ $what }が{ $factor }倍であった場合に相当する
    [implausible] 予測値（{ $predicted }）の{ $ratio }倍であり、差は{ $what }の妥当な誤差の範囲を超える
   *[unexplained] 予測値（{ $predicted }）の{ $ratio }倍であり、単独の入力値の誤差では説明できない
}
residual-phases = 各部分の時間の予測値と測定値
residual-phase = 部分
residual-difference = 測定値 − 予測値
residual-scale-flops = プロセッサおよびアクセラレータの演算性能
residual-scale-memory-bandwidth = メモリバンド幅
residual-scale-memory = ノードのメモリ容量
residual-scale-link-bandwidth = インターコネクトのバンド幅
residual-scale-link-latency = インターコネクトの遅延
residual-scale-host_link = ホスト・アクセラレータ間のバンド幅
residual-scale-storage-bandwidth = ストレージのバンド幅
residual-scale-spread = ノード間のばらつき
residual-scale-noise = 最長のOSノイズの長さ

# モデルの定数（英語の名称はモデルで宣言）。

residual-constant-host-dgemm = プロセッサのDGEMMの理論性能比
residual-constant-device-dgemm = アクセラレータのDGEMMの理論性能比
residual-constant-link-share = 大きなメッセージのリンクバンド幅比
residual-constant-link-latency = 最小メッセージの遅延
residual-constant-host_link-share = ホスト・アクセラレータ間リンクの実効比
residual-constant-spread = ノード間の性能の標準偏差
residual-constant-host-memory = プロセッサのメモリバンド幅のうちTriadが達成する割合
residual-constant-device-memory = アクセラレータのメモリバンド幅のうちTriadが達成する割合
residual-constant-memory-usable = メモリ容量のうちジョブが利用できる割合
