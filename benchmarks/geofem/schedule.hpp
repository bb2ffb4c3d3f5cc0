// Which rows each thread has, and where: thread by thread, stage by stage, so that each reads its memory from the first
// to the last address.
#pragma once

#include <cstdint>
#include <vector>

#include "core/team.hpp"
#include "ordering.hpp"

namespace banzuke::geofem {

struct Schedule {
  static constexpr std::int64_t chunk = 8;  // rows; threads' parts of stages are made of whole ones

  // Every stage is shared among the threads. Rows with equally many neighbours before and after them lie together, so
  // that chunks have little to fill up. A thread's part of a stage is a multiple of `grain` rows, which is one of
  // chunks.
  Schedule(const Crs& graph, const Ordering& ordering, const Parts& team, std::int64_t grain = chunk);

  std::int64_t rows() const { return static_cast<std::int64_t>(node.size()); }
  // Chunk where a thread's part of a stage begins; parts follow each other.
  std::int64_t begin(int thread, std::int64_t of) const { return starts[thread * stages + of]; }
  std::int64_t end(int thread, std::int64_t of) const { return starts[thread * stages + of + 1]; }
  std::int64_t begin(int thread) const { return begin(thread, 0); }
  std::int64_t end(int thread) const { return end(thread, stages - 1); }

  int threads;
  Parts parts;
  std::int64_t stages;
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> node;   // by row; -1 fills a chunk up
  std::vector<std::int32_t> row;    // by node
  std::vector<std::int32_t> stage;  // by node
};

}  // namespace banzuke::geofem
