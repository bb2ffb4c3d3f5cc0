"""How figures change with the number of nodes: strong, weak and throughput studies."""
