#include "schedule.hpp"

#include <algorithm>
#include <utility>

namespace banzuke::geofem {

Schedule::Schedule(const Crs& graph, const Ordering& ordering, const Parts& team, std::int64_t grain)
    : threads(team.count()),
      parts(team),
      stages(ordering.stages()),
      starts{0},
      row(graph.rows),
      stage(stage_of_node(ordering)) {
  const auto neighbours = [&](std::int32_t of) {
    std::pair<std::int64_t, std::int64_t> count;  // neighbours in earlier stages, and in later ones
    for (const auto other : graph.columns_of(of)) ++(stage[other] < stage[of] ? count.first : count.second);
    return count;
  };
  std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, std::int32_t>> part;
  for (int thread = 0; thread < threads; ++thread) {
    for (std::int64_t s = 0; s < stages; ++s) {
      const auto [first, last] = share(ordering.start[s], ordering.start[s + 1], thread, parts, grain);
      part.clear();
      for (std::int64_t i = first; i < last; ++i) part.emplace_back(neighbours(ordering.node[i]), ordering.node[i]);
      std::ranges::stable_sort(part, {}, [](const auto& entry) { return entry.first; });
      for (const auto& entry : part) {
        row[entry.second] = static_cast<std::int32_t>(node.size());
        node.push_back(entry.second);
      }
      node.resize((node.size() + grain - 1) / grain * grain, -1);
      starts.push_back(rows() / chunk);
    }
  }
}

}  // namespace banzuke::geofem
