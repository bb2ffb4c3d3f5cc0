// Latency and bandwidth between the processors of each NUMA node and the memory of each.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "memory.hpp"

namespace banzuke::memory {

// The threads whose processors are on a NUMA node.
struct NodeThreads {
  int node = 0;
  std::vector<std::size_t> threads;
};

// Returns the threads by node, in the nodes' order. `places`: processors of each thread; `nodes`: nodes of processors.
// Throws a UsageError for a thread whose processors are on several nodes, or on none.
std::vector<NodeThreads> threads_by_node(const std::vector<std::vector<int>>& places, const std::map<int, int>& nodes);

// Measures the memory of every node that this process may use, from the threads of one node at a time.
Result measure_numa(const Params& params, const Context& context);

}  // namespace banzuke::memory
