// Who computed when: what each group of a shared product finished over the timed calls, which follow each other here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/communicator.hpp"
#include "core/record.hpp"

namespace banzuke::dgemm {

// Columns that a group finished, all at once or since it finished others.
struct Finished {
  double seconds = 0.0;  // when
  std::int64_t columns = 0;
};

class Trace {
 public:
  // Points are fewer, however many strips and calls there are: records stay small.
  static constexpr std::size_t most = 96;

  // What the group finished, in seconds since the call began, and when all groups were done.
  void add_call(std::span<const Finished> finished, double seconds);
  // In seconds of the calls together; a group that waits finishes nothing.
  const std::vector<Finished>& points() const { return points_; }

 private:
  void add(const Finished& point);

  std::vector<Finished> points_;
  std::size_t together_ = 1;  // so many that were added are a point
  std::size_t added_ = 0;     // to the last point
  double begun_ = 0.0;
};

// Collective: a line for each rank.
Series traces(const Trace& own, const Communicator& ranks, double flops_of_column);

}  // namespace banzuke::dgemm
