// MPI collectives: time of one call, for messages of 1 B to 1 MiB, as defined by OSU's benchmarks.
//
//   for (i = -warm_up; i < iterations; ++i) {
//     start = now();  MPI_Allreduce(...);  seconds[i] = now() - start;
//     MPI_Barrier(...);                    // untimed; none after a barrier
//   }
//
// Non-blocking: the same loop with MPI_Iallreduce and MPI_Wait measures the pure time of a call; in a second loop each
// rank computes for its pure time between the two, with MPI_Barrier after every operation.
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

// Everything specific to an operation except the call itself.
enum class Blocks { none, part, one, each };  // sizes: part, a share of one message; one; each, one for each rank
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

// Returns the footprint of the root, which needs most, and as facts, for each rank: calls without overlapped
// computation, messages in one call (one for each rank, or 1), and bytes of one side in all these calls. Throws
// UsageError.
Problem problem(const Params& params, int ranks);

// Throws UsageError.
std::vector<std::int64_t> sizes(const Params& params, int ranks);
Count count(const Params& params, std::int64_t size);

// Number of one-byte elements on one side of a call, e.g. those that rank `rank` of `ranks` sends.
std::int64_t elements(const Side& side, std::int64_t size, int rank, int ranks);

// ----------------------------------------------------------------------------------------- what must arrive

// Elements expected in a rank's receive buffer from `at` on: those that `origin` sent from `position` on.
struct Arrival {
  static constexpr int all = -1;  // the sum of what every rank sent

  int origin = 0;
  std::int64_t position = 0;
  std::int64_t at = 0;
  std::int64_t count = 0;
};
std::vector<Arrival> arrivals(const Shape& shape, std::int64_t size, int rank, int ranks);

// Data of one verified call, different in every call: element p of rank r is factor(r) x weight(p), both non-zero. MPI
// does not define sums that overflow their type (Open MPI's saturates), so only one group of at most 16 ranks
// contributes to an element of a sum; the others contribute 0. So an expected sum is as cheap to compute as one rank's
// element.
class Data {
 public:
  Data(const Shape& shape, std::uint64_t call, int ranks);

  void fill(std::span<std::byte> message, int origin, std::int64_t position) const;
  // Fills with values that fill() would not write.
  void spoil(std::span<std::byte> message, int origin, std::int64_t position) const;
  std::int64_t wrong(std::span<const std::byte> message, int origin, std::int64_t position) const;

 private:
  std::uint32_t factor(int rank) const;
  // Calls visit(i, element) for every i below `count`.
  template <class Visit>
  void each(int origin, std::int64_t position, std::size_t count, Visit visit) const;

  std::uint64_t call_;
  std::uint32_t most_;                 // maximum of factors and of weights
  std::vector<std::uint32_t> totals_;  // sum of each group's factors
};

// ------------------------------------------------------------------------------------------------ the calls

// Means over the calls, in seconds.
struct Overlapped {
  double start = 0.0;    // the call that starts the operation
  double compute = 0.0;  // the overlapped computation
  double wait = 0.0;
};

// One operation with its buffers. Everything is collective.
class Collective {
 public:
  Collective(const Params& params, std::int64_t max_size, const Communicator& ranks);

  // Times each call on this rank; `seconds` has one element for each iteration.
  void time(std::int64_t size, std::int64_t warm_up, std::span<double> seconds);
  // Non-blocking, overlapped with a computation of `pure` seconds.
  Overlapped overlap(std::int64_t size, std::int64_t warm_up, double pure, std::span<double> seconds);
  // Number of wrong elements on this rank after a call with its own data; for a barrier, 1 if this rank left before
  // another one had arrived. `call` must be different each time.
  std::int64_t wrong(std::int64_t size, std::uint64_t call);

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::collectives
