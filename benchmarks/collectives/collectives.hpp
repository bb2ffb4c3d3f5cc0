// Collective operations of MPI: how long one call takes, for messages of 1 B to 1 MiB, as OSU's benchmarks define it.
//
//   for (i = -warm_up; i < iterations; ++i) {
//     start = now();  MPI_Allreduce(...);  seconds[i] = now() - start;
//     MPI_Barrier(...);                    // outside the clock; none after a barrier
//   }
//
// Non-blocking: the same loop with MPI_Iallreduce and MPI_Wait tells the pure time of a call; a second one then has
// each rank compute for its pure time between the two, with MPI_Barrier after every operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"
#include "core/message.hpp"

namespace banzuke::collectives {

// All that is special to an operation but the call itself.
enum class Blocks { none, part, one, each };  // of the message size: a share of one, one, or one for each rank
struct Side {
  Blocks blocks;
  bool root_only = false;
};
struct Shape {
  const char* name;
  Side sends;
  Side receives;
  bool sums = false;
};

inline constexpr std::array shapes{
    Shape{"barrier", {Blocks::none}, {Blocks::none}},
    Shape{"allreduce", {Blocks::one}, {Blocks::one}, true},
    Shape{"alltoall", {Blocks::each}, {Blocks::each}},
    Shape{"bcast", {Blocks::one, true}, {Blocks::one}},
    Shape{"reduce", {Blocks::one}, {Blocks::one, true}, true},
    Shape{"allgather", {Blocks::one}, {Blocks::each}},
    Shape{"gather", {Blocks::one}, {Blocks::each, true}},
    Shape{"scatter", {Blocks::each, true}, {Blocks::one}},
    Shape{"reduce_scatter", {Blocks::one}, {Blocks::part}, true},
};
inline constexpr int root = 0;

struct Params {
  std::string operation = "allreduce";
  std::string mode = "blocking";
  std::int64_t min_size = 1;
  std::int64_t max_size = std::int64_t{1} << 20;
  std::int64_t iterations = 0;
};

void declare(Parameters& parameters, Params& params);
const Shape& shape_of(const Params& params);
bool blocking(const Params& params);

// The footprint is that of the root, which has most. The facts are what a rank does of each kind: calls without a
// computation meanwhile, messages in one call (one for each rank, or 1), bytes of one side in all these calls. Throws
// UsageError.
Problem problem(const Params& params, int ranks);

// Throws UsageError.
std::vector<std::int64_t> sizes(const Params& params, int ranks);
Count count(const Params& params, std::int64_t size);

// Elements of one byte on one side of a call, e.g. those that rank `rank` of `ranks` sends.
std::int64_t elements(const Side& side, std::int64_t size, int rank, int ranks);

// ----------------------------------------------------------------------------------------- what must arrive

// Elements that rank `rank` finds in its receive buffer from `at` on: those that `origin` sent from `position` on.
struct Arrival {
  static constexpr int all = -1;  // the sum of what every rank sent

  int origin = 0;
  std::int64_t position = 0;
  std::int64_t at = 0;
  std::int64_t count = 0;
};
std::vector<Arrival> arrivals(const Shape& shape, std::int64_t size, int rank, int ranks);

// Data of one verified call, other data in every one: element p of rank r is factor(r) x weight(p), neither of them 0.
// MPI does not define a sum that exceeds its type (Open MPI's saturates), so to one element of a sum only one group of
// at most 16 ranks contributes, the others 0. And the sum takes no longer to tell than one rank's element.
class Data {
 public:
  Data(const Shape& shape, std::uint64_t call, int ranks);

  void fill(std::span<std::byte> message, int origin, std::int64_t position) const;
  // Fills with what fill() would not write.
  void spoil(std::span<std::byte> message, int origin, std::int64_t position) const;
  std::int64_t wrong(std::span<const std::byte> message, int origin, std::int64_t position) const;

 private:
  std::uint32_t factor(int rank) const;
  // Calls visit(i, element) for every i below `count`.
  template <class Visit>
  void each(int origin, std::int64_t position, std::size_t count, Visit visit) const;

  std::uint64_t call_;
  std::uint32_t most_;                 // of factors and of weights
  std::vector<std::uint32_t> totals_;  // of each group's factors
};

// ------------------------------------------------------------------------------------------------ the calls

// Means over the calls, in seconds.
struct Overlapped {
  double start = 0.0;    // the call that begins the operation
  double compute = 0.0;  // meanwhile
  double wait = 0.0;
};

// One operation with its buffers. Everything is collective.
class Collective {
 public:
  Collective(const Params& params, std::int64_t max_size, const Communicator& ranks);

  // Seconds of each call on this rank; `seconds` has one for each iteration.
  void time(std::int64_t size, std::int64_t warm_up, std::span<double> seconds);
  // Non-blocking, with a computation of `pure` seconds meanwhile.
  Overlapped overlap(std::int64_t size, std::int64_t warm_up, double pure, std::span<double> seconds);
  // Elements of this rank that a call with data of its own left wrong; of a barrier, 1 when it let this rank leave
  // before another one had come. `call` is another number each time.
  std::int64_t wrong(std::int64_t size, std::uint64_t call);

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::collectives
