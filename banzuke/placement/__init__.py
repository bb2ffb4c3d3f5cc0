"""Where ranks go on a network: topologies, what each link carries in a phase of a benchmark, orders that spread it."""
