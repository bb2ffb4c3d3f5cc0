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
compare-not-in-turn = 交互に測定していない：{ $left }と{ $right }の試行の間隔は{ $gap }。その間の計算機の変化は信頼区間に含まれない
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
axis-memory = メモリポリシ
axis-pages = ページ
axis-cores = コア
axis-launcher = ランチャのオプション
axis-shape = ノード割当形状
axis-device = アクセラレータ
