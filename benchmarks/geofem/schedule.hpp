// Which rows each thread has, and where: thread by thread, stage by stage, so that each thread reads its memory in
// ascending order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/team.hpp"
#include "ordering.hpp"

namespace banzuke::geofem {

struct Schedule {
  static constexpr std::int64_t chunk = 8;  // rows; threads' parts of stages consist of whole chunks

  // Every stage is divided among the threads. Rows with equally many earlier and later neighbours are adjacent, so that
  // chunks need little padding. A thread's part of a stage is a multiple of `grain` rows, itself a multiple of the
  // chunk.
  Schedule(const Crs& graph, const Ordering& ordering, const Parts& team, std::int64_t grain = chunk);

  std::int64_t rows() const { return static_cast<std::int64_t>(node.size()); }
  // First chunk of a thread's part of a stage; parts are contiguous.
  std::int64_t begin(int thread, std::int64_t of) const { return starts[thread * stages + of]; }
  std::int64_t end(int thread, std::int64_t of) const { return starts[thread * stages + of + 1]; }
  std::int64_t begin(int thread) const { return begin(thread, 0); }
  std::int64_t end(int thread) const { return end(thread, stages - 1); }

  int threads;
  Parts parts;
  std::int64_t stages;
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> node;   // by row; -1 is padding
  std::vector<std::int32_t> row;    // by node
  std::vector<std::int32_t> stage;  // by node
};

}  // namespace banzuke::geofem
