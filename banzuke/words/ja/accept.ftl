# 受入条件の判定。

accept-sheet = 受入試験成績書
accept-result = 判定結果
accept-outcome = { $verdict ->
    [pass] 合格
    [fail] 不合格
   *[untold] 判定保留
}
accept-whole = { $outcome }（{ $totals }）
accept-of = { $figure }：{ $what }
accept-of-hosts = { $figure }（{ $hosts }）：{ $what }
accept-one-state = 一定
accept-totals = 全{ $figures }項目：合格{ $passed }、不合格{ $failed }、判定保留{ $untold }、免除{ $waived }{ $improvement ->
    [pass] ；性能向上は合格
    [fail] ；性能向上は不合格
    [untold] ；性能向上は判定保留
   *[none] {""}
}
accept-verdict-of = { $verdict ->
    [pass] 合格
    [fail] 不合格
   *[untold] 判定保留
}{ $waived ->
    [yes] （免除）
   *[no] {""}
}
accept-figure = 項目
accept-asked = 要求値
accept-measured = 測定値
accept-interval = 95%信頼区間
accept-nodes = 達成ノード
accept-verdict = 判定
accept-at-least = { $requirement }以上
accept-at-most = { $requirement }以下
accept-tolerance = 参照値に対する許容差{ $share }
accept-worst = 最低 { $value }
accept-reached = { $of }ノード中{ $reached }
accept-improvement = 旧システムに対する性能向上
accept-over = 対{ $predecessor }（倍）
accept-mean = 幾何平均
accept-mean-asked = 幾何平均（要求：{ $least }倍以上）
accept-waivers = 免除事項
accept-reason = 理由
accept-by = 承認者
accept-date = 日付
accept-evidence = 測定の根拠
accept-case = ケース
accept-runs = 実行
accept-launches = 試行
accept-interval-of = 信頼区間の根拠
accept-state = 計算機の状態
accept-between = { $what ->
    [runs] 実行間のばらつき
   *[launches] 試行間のばらつき
}
accept-counted = { $launches }試行中{ $counted }試行を採用
accept-agreement = 合意事項
accept-customer = 発注者
accept-vendor = 受注者
accept-agreed = 合意日
accept-contract = 受入条件のファイル
accept-machine = 計算機
accept-measured-hosts = 測定したホスト
accept-measured-runs = 測定した実行
accept-note = 備考
accept-signatures = 署名
accept-party = 当事者
accept-name = 氏名
accept-signature = 署名・押印
accept-rule-confidence = { $confidence ->
    [median] 中央値が要求値を満たすこと。
   *[interval] 95%信頼区間の全体が要求値を満たすこと。
}
accept-rule-share = ノードの{ $share }が満たすこと。
accept-rule-nodes = 対象は{ $number }ノード。
accept-rule-launches = 各ノードで{ $number }試行以上を採用すること。
accept-rule-runs = 試行は30分以上の間隔を置いた{ $number }回以上の実行によること。
accept-rule-verified = { $all ->
    [yes] すべての試行で計算結果の検証に合格すること。
   *[no] 検証に合格しなかった試行は採用しない。
}
accept-rule-undisturbed = 他のプロセスまたはハイパーバイザに妨げられた試行は採用しない。
accept-rule-official = ベンチマークの規則による公式記録のみを採用する。
accept-unmeasured = { $runs }では測定していない。`{ $command }`で測定する
accept-other-setting = { $setting }は受入条件では{ $asked }、測定では{ $there }
accept-unmatched = 受入条件どおりに測定していない：{ $settings }。`{ $command }`で測定する
accept-unmatched-together = { $runs }には、受入条件の設定をすべて満たし、通常の方法で起動したケースがない。`{ $command }`で測定する
accept-unlike = 実行によってケースが異なる：{ $settings }。受入条件でケースを指定するか、対象の実行を減らす
accept-skipped = 測定を省略した：{ $reasons }
accept-unverified = { $launches }試行中{ $failed }試行が検証に合格しなかった：{ $reasons }
accept-none-verified = 検証に合格した試行がない。原因を調べてから`{ $command }`で測定し直す
accept-none-counts = 規則により採用できる試行がない。ここに示す原因を除いてから`{ $command }`で測定し直す
accept-left-out = { $launches }試行中{ $number }試行は不採用：{ $why }
accept-no-metric = この単位の{ $metric }がない
accept-disturbed = 他のプロセスまたはハイパーバイザがプロセッサを使用していた
accept-unofficial = 公式記録ではない：{ $rule }に対して{ $found }
accept-rules-unknown = 公式記録の規則の確認に必要な計算機の記述がない
accept-no-requirement = 受入条件に{ $systems }の要求値がない。これを加えるか、"*"の要求値を定める
accept-few-launches = 採用できるのは{ $launches }試行で、合意した{ $asked }試行に足りない。`{ $command }`で測定する
accept-few-runs = 30分以上の間隔を置いた実行は{ $runs }回で、合意した{ $asked }回に足りない。後で`{ $command }`を繰り返す
accept-not-positive = 測定値が正でないため、要求値と比較できない
accept-no-interval = 試行が少ないか、値がすべて等しいため、試行間のばらつきが分からない。`{ $command }`で測定する
accept-holds = 信頼区間が要求値を含む。`{ $command }`で判定できる可能性がある（このばらつきでは{ $launches }試行）
accept-holds-runs = 実行間の信頼区間が要求値を含む。数時間の間隔を置いて`{ $command }`を繰り返し、すべての実行を指定する
accept-too-near = 信頼区間が要求値を含み、測定値が要求値に近いため、このばらつきでは試行を増やしても区別できない。より安定した条件で測定するか、中央値による判定に合意する
accept-more-nodes = { $of }ノード中{ $measured }ノードで測定した。残りのノードで`{ $command }`を実行すれば判定できる
accept-missed = { $number }ノードが要求値を満たさない：{ $hosts }
accept-not-all-compared = 旧システムと比較できない項目が{ $number }件ある。両方で測定するか、improvement = falseとする
accept-improvement-holds = 幾何平均の信頼区間が要求値を含む。試行と実行を増やせば狭まる
accept-improvement-runs = 信頼区間の不明な比がある。実行間のばらつきは、それぞれの計算機で数時間の間隔を置いた3回の実行から分かる
accept-no-figure-here = 採用できる試行がない
accept-not-published = { $machine }にはこの項目の公表値がない{ $why ->
    [none] {""}
   *[other] {"："}{ $why }
}
accept-not-in-predecessor = { $run }には採用できる測定値がない：{ $why }
accept-not-comparable = 比較できない：{ $why }
