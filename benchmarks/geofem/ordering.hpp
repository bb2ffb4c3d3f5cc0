// Orderings in which a Gauss-Seidel sweep visits the nodes of a graph: in stages of mutually independent nodes, so that
// threads and vector lanes can take the nodes of a stage in any order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"

namespace banzuke::geofem {

struct Ordering {
  std::vector<std::int32_t> node;         // all nodes, stage by stage
  std::vector<std::int64_t> start = {0};  // where each stage begins in `node`, and the end

  std::int64_t stages() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

// Graphs exclude the diagonal.

// Fills colours one after another, each up to its share of the nodes, and adds colours as needed.
Ordering multicolour(const Crs& graph, std::int64_t colours);

// Reverse Cuthill-McKee from a node of minimum degree. A node with a neighbour already in the level goes to the next.
Ordering reverse_cuthill_mckee(const Crs& graph);

// The levels of reverse Cuthill-McKee, assigned cyclically to the smallest number of colours, at least `colours`, that
// makes them independent.
Ordering cyclic_cuthill_mckee(const Crs& graph, std::int64_t colours);

// Returns the ordering of this name: mc, rcm, or otherwise cm-rcm.
Ordering order(const Crs& graph, const std::string& name, std::int64_t colours);

// The stage of each node.
std::vector<std::int32_t> stage_of_node(const Ordering& ordering);

}  // namespace banzuke::geofem
