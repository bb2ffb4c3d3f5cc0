# 同じ条件で測定した多数のノード

fleet-figure-at = { $title }（{ $settings }）
fleet-figure-between = ノード間の{ $title }
fleet-figure-sent = { $title }（送信）
fleet-figure-received = { $title }（受信）
