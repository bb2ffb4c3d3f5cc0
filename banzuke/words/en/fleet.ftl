# Many nodes measured alike.

fleet-figure-at = { $title } ({ $settings })
fleet-figure-between = { $title } between nodes
fleet-figure-sent = { $title }, sent
fleet-figure-received = { $title }, received
