"""What a batch system reports about its queues and their nodes, asked on a login node, which may differ from them."""
