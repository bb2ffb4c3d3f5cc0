// Which group computed when: what each group of a shared product finished over the timed calls, joined end to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/communicator.hpp"
#include "core/record.hpp"

namespace banzuke::dgemm {

// Updates that a group finished, together or since its last ones: multiplications, each with an addition.
struct Finished {
  double seconds = 0.0;  // time of completion
  std::int64_t updates = 0;
};

class Trace {
 public:
  // Upper bound on the number of points, for any number of strips and calls, to keep records small.
  static constexpr std::size_t most = 96;

  // Adds what the group finished, in seconds since the call began, and the time when all groups were done.
  void add_call(std::span<const Finished> finished, double seconds);
  // In seconds over all calls; a waiting group finishes nothing.
  const std::vector<Finished>& points() const { return points_; }

 private:
  void add(const Finished& point);

  std::vector<Finished> points_;
  std::size_t together_ = 1;  // additions merged into one point
  std::size_t added_ = 0;     // additions to the last point
  double begun_ = 0.0;
};

// Collective: a line for each rank.
Series traces(const Trace& own, const Communicator& ranks, double flops_of_update);

}  // namespace banzuke::dgemm
