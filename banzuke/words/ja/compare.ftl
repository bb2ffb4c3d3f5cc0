# 比較の信頼性に関わる相違。

compare-trait = { $trait ->
    [machine] 計算機
    [nodes] ノード数
    [banzuke] Banzuke
   *[commit] コミット
}
compare-software = { $program }の{ $key }
compare-differs = { $what }：{ $left }は{ $mine }、{ $right }は{ $theirs }
compare-not-recorded = 記録なし
compare-moved = { $nearer }ではスレッドのプロセッサが互いに近く、キャッシュラインの転送は{ $near }（他方は{ $far }）。ハイパーバイザによる移動、または他の負荷が原因の可能性がある
compare-hosts-apart = { $run }のホストは計算機の異なる状態にあった：{ $hosts }
compare-not-in-turn = 交互に測定していない：{ $left }と{ $right }の試行の間隔は{ $gap }。その間に計算機の状態が変わった可能性がある
compare-cannot-be-told = { $left }と{ $right }の測定時刻は離れており、{ $others ->
    [0] このケースの実行間のばらつきが不明
   *[other] このケースの実行間のばらつきを知るには、使える他の実行{ $others }回では足りない
}。それぞれあと{ $runs }回、交互に数時間の間隔を置いて{ $command }で測定し、`banzuke compare A1,A2,A3 B1,B2,B3`で比較する
compare-against = { $left }との条件の違いは再現でき、{ $right }と交互に測定できる：{ $command }（{ $right }のオプションを付ける）
compare-disturbed = { $run }の{ $launches }試行のうち{ $disturbed }試行は他のプロセスまたはハイパーバイザに妨げられたため数えない
compare-turns-disturbed = 交互に測定した{ $rounds }組のうち{ $disturbed }組は、他のプロセスまたはハイパーバイザに妨げられたため数えない
compare-moving = 比較したすべての実行に、試行中にプロセッサが移動したものがある。プロセッサ間の距離は実行を通して一定でないため、距離によらず試行を比較
compare-state = 計算機の同じ状態（{ $state }）の試行のみを比較：{ $of }試行のうち{ $launches }試行
compare-state-alone = { $run }のみにある状態：{ $state }（{ $launches }試行）
compare-by-history = 実行間のばらつきには、結果フォルダにある同じケースの他の{ $runs }回の実行も用いた
compare-further = 10%の差を見つけるには、それぞれあと{ $runs }回、交互に数時間の間隔を置いた実行が必要
compare-too-varied = 実行間のばらつきが大きく、10%の差を見つけるのに現実的な回数では足りない
compare-counts-equal = { $launches }試行すべてで同じ回数
compare-counts-differ = { $left }の全試行と{ $right }の全試行は、それぞれ回数が一致し、互いに異なるため、実行の内容または環境が異なる{ $runs ->
    [1] { "" }
    [2] 。ただし、実行ごとに回数が変わる可能性は、2回の実行では否定できない
   *[other] 。{ $runs }回の実行すべてで同じ傾向である
}
compare-counts-few = 双方とも全試行で回数が一致したが、{ $launches }試行では偶然の可能性を排除できない：--repeat 5で測定する
compare-drifts = 信頼区間は実行から実行への緩やかな変化を除いているため、比から離れている
state-near = 近いプロセッサ
state-far = 遠いプロセッサ
state-moved = 測定中に移動したプロセッサ
state-slow = 低い動作周波数
state-fast = 高い動作周波数
state-huge = ラージページ
state-base = 通常ページ
state-memory = メモリ割当方針 { $policy }
state-further = { $first }・{ $second }
state-both = { $distance }・{ $clock }
state-unknown = 状態の記録なし
state-only = 唯一の状態
compare-variable = { $variable }が設定されていたのは{ $where }のみ
compare-in-part = { $run }の一部
plan-variable = 環境変数 { $name }
plan-default = 既定値
plan-own = 独自実装

axis-environment = 実行環境
axis-image = イメージ
axis-neighbours = 負荷プロセス
axis-build = ビルド
axis-backend = 実装
axis-library = ライブラリ
axis-memory = メモリ割当方針
axis-pages = ページ
axis-shares = スレッドの分担
axis-cores = コア
axis-launcher = ランチャのオプション
axis-shape = ノード割当形状
axis-rank_order = ランクの順序
axis-device = アクセラレータ
