// Orders in which a Gauss-Seidel sweep goes through the nodes of a graph: in stages, whose nodes are not neighbours of
// each other, so that threads and vector lanes take the nodes of a stage in any order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"

namespace banzuke::geofem {

struct Ordering {
  std::vector<std::int32_t> node;         // all nodes, stage by stage
  std::vector<std::int64_t> start = {0};  // where each stage begins in `node`, and its end

  std::int64_t stages() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

// Graphs are patterns without the diagonal.

// Colours filled one after another, each up to its share of the nodes; as many more as are needed.
Ordering multicolour(const Crs& graph, std::int64_t colours);

// Reverse Cuthill-McKee from a node of least degree. A node whose neighbour is already in the level goes to the next.
Ordering reverse_cuthill_mckee(const Crs& graph);

// The levels of reverse Cuthill-McKee, dealt out in turn to the least number of colours from `colours` on that makes
// them independent.
Ordering cyclic_cuthill_mckee(const Crs& graph, std::int64_t colours);

// By name: mc, rcm, or else cm-rcm.
Ordering order(const Crs& graph, const std::string& name, std::int64_t colours);

// By node.
std::vector<std::int32_t> stage_of_node(const Ordering& ordering);

}  // namespace banzuke::geofem
