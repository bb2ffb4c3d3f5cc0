#include "ordering.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace banzuke::geofem {
namespace {

constexpr std::int32_t none = -1;

bool independent(const Crs& graph, const std::vector<std::int32_t>& level, std::int32_t colours) {
  for (std::int64_t node = 0; node < graph.rows; ++node) {
    for (const auto other : graph.columns_of(node)) {
      if (level[node] % colours == level[other] % colours) return false;
    }
  }
  return true;
}

std::int32_t least_degree(const Crs& graph, const std::vector<bool>& seen) {
  std::int32_t best = none;
  for (std::int32_t node = 0; node < graph.rows; ++node) {
    if (!seen[node] && (best == none || graph.columns_of(node).size() < graph.columns_of(best).size())) best = node;
  }
  return best;
}

}  // namespace

std::vector<std::int32_t> stage_of_node(const Ordering& ordering) {
  std::vector<std::int32_t> out(ordering.node.size());
  for (std::int64_t stage = 0; stage < ordering.stages(); ++stage) {
    for (std::int64_t i = ordering.start[stage]; i < ordering.start[stage + 1]; ++i) {
      out[ordering.node[i]] = static_cast<std::int32_t>(stage);
    }
  }
  return out;
}

Ordering multicolour(const Crs& graph, std::int64_t colours) {
  Ordering out;
  out.node.reserve(graph.rows);
  const std::int64_t share = (graph.rows + colours - 1) / colours;
  // Head of the linked list of nodes without a colour.
  std::int32_t head = graph.rows > 0 ? 0 : none;
  std::vector<std::int32_t> next(graph.rows);
  std::iota(next.begin(), next.end(), 1);
  if (graph.rows > 0) next.back() = none;
  std::vector<std::int32_t> beside(graph.rows, none);  // last stage that has a neighbour of the node
  for (std::int32_t stage = 0; head != none; ++stage) {
    const auto full = out.start.back() + share;
    for (std::int32_t* link = &head; *link != none && std::ssize(out.node) < full;) {
      const std::int32_t node = *link;
      if (beside[node] == stage) {
        link = &next[node];
        continue;
      }
      *link = next[node];
      out.node.push_back(node);
      for (const auto other : graph.columns_of(node)) beside[other] = stage;
    }
    out.start.push_back(static_cast<std::int64_t>(out.node.size()));
  }
  return out;
}

Ordering reverse_cuthill_mckee(const Crs& graph) {
  Ordering out;
  out.node.reserve(graph.rows);
  std::vector<bool> seen(graph.rows);
  std::vector<std::int32_t> beside(graph.rows, none);
  std::vector<std::int32_t> front;  // seen and not yet in a level
  std::vector<std::int32_t> later;
  for (std::int32_t level = 0; out.start.back() < graph.rows; ++level) {
    if (front.empty()) {  // the first level of a connected part
      front.push_back(least_degree(graph, seen));
      seen[front.back()] = true;
    }
    later.clear();
    for (const auto node : front) {
      if (beside[node] == level) {
        later.push_back(node);
        continue;
      }
      out.node.push_back(node);
      for (const auto other : graph.columns_of(node)) beside[other] = level;
    }
    for (auto i = out.start.back(); i < std::ssize(out.node); ++i) {
      for (const auto other : graph.columns_of(out.node[i])) {
        if (!seen[other]) later.push_back(other);
        seen[other] = true;
      }
    }
    out.start.push_back(static_cast<std::int64_t>(out.node.size()));
    front.swap(later);
  }
  std::ranges::reverse(out.node);
  std::ranges::reverse(out.start);
  for (auto& start : out.start) start = graph.rows - start;
  return out;
}

Ordering cyclic_cuthill_mckee(const Crs& graph, std::int64_t colours) {
  const Ordering levels = reverse_cuthill_mckee(graph);
  const auto level = stage_of_node(levels);
  auto used = std::max<std::int64_t>(1, std::min(colours, levels.stages()));
  while (used < levels.stages() && !independent(graph, level, static_cast<std::int32_t>(used))) ++used;
  Ordering out;
  out.node.reserve(graph.rows);
  for (std::int64_t colour = 0; colour < used; ++colour) {
    for (std::int64_t stage = colour; stage < levels.stages(); stage += used) {
      out.node.insert(out.node.end(), levels.node.begin() + levels.start[stage],
                      levels.node.begin() + levels.start[stage + 1]);
    }
    out.start.push_back(static_cast<std::int64_t>(out.node.size()));
  }
  return out;
}

Ordering order(const Crs& graph, const std::string& name, std::int64_t colours) {
  if (name == "mc") return multicolour(graph, colours);
  return name == "rcm" ? reverse_cuthill_mckee(graph) : cyclic_cuthill_mckee(graph, colours);
}

}  // namespace banzuke::geofem
