# 公開する実行の再現性の評価。

grade-commit = ソースのコミットが記録されており、変更がない
grade-commit-mend = 変更のないGitのチェックアウトから`make setup`でビルドし、測定し直す
grade-compiler = コンパイラとそのオプションが記録されている
grade-compiler-mend = 両方を記録する`make setup`でビルドし、測定し直す
grade-libraries = すべてのライブラリのバージョンが記録されている
grade-libraries-mend = バージョンの分かるライブラリを選ぶ（`banzuke machine`で一覧を表示）
grade-launches = 各代表ケースの試行が{ $least }回以上ある
grade-launches-mend = `banzuke run { $names } --repeat { $least }`
grade-undisturbed = 他のプロセスによるプロセッサ使用が{ $others }未満、ハイパーバイザによるものが{ $hypervisor }未満
grade-undisturbed-mend = 他に負荷のない計算機で測定するか、`banzuke run { $names } --environment isolated`を用いる
grade-binding = 各スレッドを実行したプロセッサが記録されている
grade-binding-mend = スレッドの配置をBanzukeに任せる（OMP_PROC_BINDとOMP_PLACESを設定しない）：`banzuke run { $names }`
grade-state = 動作周波数またはプロセッサ間の距離が記録されている
grade-state-mend = Banzukeで測定する：`banzuke run { $names }`
grade-checks = すべての試行が検証に合格した
grade-checks-mend = `banzuke report`で理由を確認し、`banzuke run { $names }`で測定し直す
grade-limits = 性能上限を同じ計算機で測定した
grade-limits-mend = `banzuke evaluate`で性能上限も測定する

edition-launches = 検証に合格した試行が{ $least }回以上
edition-checks = すべての試行が検証に合格
edition-undisturbed = すべての試行で、他のプロセスによるプロセッサ使用が{ $others }未満、ハイパーバイザによるものが{ $hypervisor }未満
edition-usual = 通常の起動（コンテナ、仮想計算機、負荷プロセス、別のビルド・ライブラリ・システム設定なし）
edition-whole = ノードの全コアまたは全アクセラレータを使用
edition-memory = データがキャッシュに収まらない大きさ
edition-class = 問題サイズが{ $edition }年版の区分のいずれかに該当
edition-seconds = 各試行の計測区間が{ $least }以上
