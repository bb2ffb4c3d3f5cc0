# 公開する計測の再現性の評価。

grade-commit = ソースのコミットが記録されており、変更がない
grade-commit-mend = 変更のない Git のチェックアウトから `make setup` で構築し、計測し直す
grade-compiler = コンパイラとそのオプションが記録されている
grade-compiler-mend = 両方を記録する `make setup` で構築し、計測し直す
grade-libraries = すべてのライブラリのバージョンが分かる
grade-libraries-mend = バージョンの分かるライブラリを選ぶ(`banzuke machine` で一覧を表示)
grade-launches = 各代表値の実行が { $least } 回以上ある
grade-launches-mend = `banzuke run { $names } --repeat { $least }`
grade-undisturbed = 他のプロセスによるプロセッサ使用が { $others } 未満、ハイパーバイザが { $hypervisor } 未満
grade-undisturbed-mend = 他に負荷のない状態で計測するか、`banzuke run { $names } --environment isolated` を使う
grade-binding = 各スレッドのプロセッサを読み返して確認した
grade-binding-mend = スレッドの配置を Banzuke に任せる(OMP_PROC_BIND と OMP_PLACES を設定しない): `banzuke run { $names }`
grade-state = クロックまたはプロセッサ間の距離が記録されている
grade-state-mend = Banzuke 自身で計測する: `banzuke run { $names }`
grade-checks = すべての実行が検証に合格した
grade-checks-mend = `banzuke report` で理由を確認し、`banzuke run { $names }`
grade-limits = 上限を同じ計算機で測定した
grade-limits-mend = `banzuke evaluate` はそれらをまとめて測定する
