"""What a batch system says of its queues and their nodes; it is asked on a login node, which may be unlike them."""
