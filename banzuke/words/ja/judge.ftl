# 多数ノードの評価：低速ノードとその対処。

judge-action-none = 対処不要
judge-action-again = { $host }を単独で再測定し、再び低速であれば運用から外してベンダに連絡する
judge-action-loaded = 未判定：測定前のロードアベレージが{ $load }。{ $host }のほかのプロセスを終了させ、再測定する
judge-action-disturbed = 未判定：{ $host }の測定中、プロセッサ時間の{ $others }を他のプロセス、{ $hypervisor }をハイパーバイザが使用していた。他のプロセスを終了させ、再測定する
judge-disturbed = 測定中、プロセッサ時間の{ $others }を他のプロセス、{ $hypervisor }をハイパーバイザが使用していた
judge-action-state-again = 未判定：{ $host }は低速に見えるが、その状態（{ $state }）の基準値がない。この状態で{ $screens }回測定する
judge-action-compare = 未判定：同一種別のノードを3台以上まとめて測定するか、正常なノードから基準値を作成する
judge-action-missing = 一部の性能値が未判定：{ $figures }がない理由をログで確認し、再測定する
judge-action-state = { $state ->
    [failed] プログラムまたは検証が失敗した
    [hung] 時間内に終了しなかった
   *[dead] ノード上でプログラムを起動できなかった
}{ $why ->
    [none] {""}
   *[other] （{ $why }）
}。{ $state ->
    [failed] ログを確認し、このノード単独でプログラムを実行する
    [hung] 停止したプロセス、応答しないファイルシステム、カーネルログのエラーを確認する
   *[dead] ノードの稼働、到達性、デーモンの動作を確認する
}
judge-too-few = { $hosts }：同一種別のノードが{ $fewest }台未満のため、比較では低速ノードを判定できない。基準値があれば判定できる：banzuke screen --learn
judge-left-out = { $host }：{ $why ->
    [time] 残り時間が足りない
   *[unknown] 判定に使える基準値も理論性能もない
}ため、{ $figures }は測定しなかった
judge-limits = { $hosts }：既知の理論性能だけで判定したため、著しく遅い場合しか分からない。このノードを3回以上、または同種のノードを測定するとより詳しく判定できる
judge-own = { $hosts }：同じノードの以前の測定で判定した
judge-state-unlearnt = { $hosts }：この状態（{ $state }）の基準値がないため、ほかの状態の基準値と比較した
judge-tail = { $hosts }：{ $nodes }台では正常なノードの値が個々の性能値でどこまで広がるかを判定できず、全性能値をまとめた広がりで判定した。1つの性能値だけで名指しされたノードは、運用から外す前に再測定するか、基準値を作成する

# 要因：同種の多くのノードと異なる点。

judge-device = 最も低速なアクセラレータは{ $device }
judge-place = { $place }のノード全体が{ $share }低速
judge-modules = 認識されているメモリモジュールは{ $modules }枚（多くのノードは{ $usual }枚）
judge-memory-speed = メモリの転送速度は{ $speed } MT/s（多くのノードは{ $usual } MT/s）
judge-fraction = 通常のバンド幅の{ $share }は、メモリモジュール{ $modules }枚のうち{ $fewer }枚のみが動作している場合に相当する
judge-memory-errors = 訂正不能なメモリエラーが{ $errors }件発生
judge-port = { $device }：ポートの状態が{ $state }（通常は{ $usual }）
judge-link = { $device }：{ $quantity ->
    [width] PCIeリンクが{ $value }レーン（通常は{ $usual }レーン）
    [speed] PCIeリンクが{ $value } GT/s（通常は{ $usual } GT/s）
   *[rate] リンク速度が{ $value }（通常は{ $usual }）
}
judge-fewer-processors = コントロールグループまたはアフィニティにより{ $processors }論理プロセッサに制限（通常は{ $usual }）
judge-power-cap = 電力上限は{ $cap }（通常は{ $usual }）
judge-throttled = プロセッサの周波数抑制が{ $times }回発生（全ノードの中央値は{ $usual }回）
judge-hot = { $at } °C（全ノードの中央値より{ $kelvin } K高い）
judge-clock = 動作周波数の上限は{ $clock }（通常は{ $usual }）
judge-load = 測定前のロードアベレージは{ $load }（{ $usual ->
    [0] 空いているノードでは0
   *[other] 通常は{ $usual }
}）：ほかのプロセスが動作している
judge-setting = { $setting }が{ $value }（多くのノードは{ $usual }）

judge-action-device = { $host }の{ $device }のエラー、周波数抑制、リンクを確認し（banzuke-probe devices）、再測定する
judge-action-place = 個々のノードを運用から外す前に、冷却、電源、スイッチなど{ $place }のノードが共有するものを確認する
judge-action-modules = { $host }のBMCで、認識されない、または無効化されたメモリモジュールとメモリエラーの有無を確認し、挿し直して再測定する
judge-action-link = { $quantity ->
    [rate] { $host }の{ $device }のケーブル、ポート、エラーカウンタを確認し、ケーブルを交換して再測定する
   *[other] { $host }の{ $device }またはライザカードを挿し直し、カーネルログのPCIeエラーを確認して再測定する
}
judge-action-processors = { $host }のコントロールグループの上限とプロセッサ集合（cpu.max、cpuset.cpus）を確認し、解除して再測定する
judge-action-power-cap = { $host }の電力上限をBMCまたはバッチシステムで他のノードに合わせ、再測定する
judge-action-cooling = { $host }のファン、ヒートシンク、冷却水を確認し、再測定する
judge-action-clock = { $host }の動作周波数の上限とBIOSの電力設定を他のノードと比較し、再測定する
judge-action-load = { $host }に残っているプロセスを調べて終了させ、再測定する
judge-action-setting = { $host }の{ $setting }を他のノードと同じ{ $usual }に設定し、再測定する
