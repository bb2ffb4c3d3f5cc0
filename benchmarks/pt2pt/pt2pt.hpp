// Messages between two ranks, timed as in the OSU micro-benchmarks 7.4. W is the window; the first rank measures time.
//
//   latency        first: send, receive; second: receive, send              half of each round trip
//   bandwidth      first: W sends at once, then 1 byte back                 W messages in the time of each window
//   bidirectional  both: W receives and W sends at once                     2 W messages
//   multi-pair     bandwidth of ranks i and i + ranks / 2, all at once      W messages a pair, mean of the pairs' times
//   pairs          every rank with every other, or with some: latency at 8 B, bandwidth at 1 MiB from the lower rank to
//                  the higher, then back, in rounds of disjoint pairs
//   rings          all ranks in rings, and pairs of them, as HPC Challenge measures them: see rings.hpp
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"
#include "core/message.hpp"
#include "core/pair_schedule.hpp"

namespace banzuke::pt2pt {

struct Params {
  std::string test = "latency";
  std::int64_t min_size = 0;
  std::int64_t max_size = std::int64_t{4} << 20U;
  std::int64_t window = 64;
  std::int64_t iterations = 0;
  std::int64_t rounds = 0;
  std::string buffers = "host";
  std::int64_t chunk = std::int64_t{512} << 10U;
};

// Returns where a program's messages may be, the default first: only `host`, or with devices
//   device       both in the devices' memory, which MPI is handed
//   host-device  those of the first in host memory, those of the second in its device's; device-host, the reverse
//   staged       both in the devices' memory, copied whole to and from host memory, which MPI is handed
//   pipelined    the same in chunks: one is copied while another is sent
std::vector<std::string> buffer_kinds();

void declare(Parameters& parameters, Params& params);
// Returns, as facts, what a pair exchanges in one direction in total. Throws UsageError if this number of ranks cannot
// run the test.
Problem problem(const Params& params, int ranks);

enum class Exchange { latency, bandwidth, bidirectional };
Exchange exchange(const Params& params);  // of one pair; not for test `pairs`, which has two

// Returns the sizes of the test; bandwidth has no size 0.
std::vector<std::int64_t> sizes(const Params& params);
Count count(const Params& params, std::int64_t size);

// Return the bytes that one timed exchange counts for one pair, and those in one direction.
double bytes(const Params& params, std::int64_t size);
double bytes_one_way(const Params& params, std::int64_t size);

// What the matrix of pairs measures.
namespace matrix {
inline constexpr int most_ranks = 1024;                                                      // each with every other
inline constexpr std::int64_t most_pairs = std::int64_t{most_ranks} * (most_ranks - 1) / 2;  // in a record of 15 MB
inline constexpr std::int64_t latency_size = 8;
inline constexpr std::int64_t bandwidth_size = std::int64_t{1} << 20U;
Count latency_count(const Params& params);
Count bandwidth_count(const Params& params);
}  // namespace matrix

// One side of a pair.
struct Side {
  int peer = -1;       // a rank
  bool first = false;  // measures time
};
// The side of `rank` in all tests except `pairs`.
Side side(int rank, int ranks);

Result measure(const Params& params, const Context& context);

// Bytes of each of the two buffers: the largest message, and the part of a window that is checked at once.
std::int64_t buffer_bytes(const Params& params);
inline constexpr std::int64_t checked_at_once = std::int64_t{16} << 20U;
// Largest message that is also copied directly: shared memory is scarce in containers.
inline constexpr std::int64_t direct_most = std::int64_t{4} << 20U;

// Return whether a side's messages are in its device's memory; whether MPI gets copies of them in host memory; and the
// largest bytes of a piece of these, of which two are in flight in each direction.
bool on_device(const Params& params, bool first);
bool staged(const Params& params);
std::int64_t piece_bytes(const Params& params);
inline constexpr int pieces_under_way = 2;

// The messages of this rank. The calls of two ranks must match.
class Messages {
 public:
  Messages(const Communicator& ranks, const Params& params);  // collective

  // Returns the seconds of each counted exchange if this side is the first, else zeros. `together`: with a barrier of
  // all ranks before each.
  std::vector<double> timed(Exchange kind, Side side, std::int64_t size, Count count, bool together);
  // Makes some exchanges of data that depend on size, exchange, message and position; returns the wrong bytes that
  // arrived here.
  std::int64_t wrong_bytes(Exchange kind, Side side, std::int64_t size);

  // Sets up direct(); returns false, on every rank, if the ranks of a pair share no memory. Collective.
  bool share_memory(Side side, std::int64_t most);
  // Like timed(), but messages are copied from rank to rank without MPI, some dozen times. `size` is at most `most`.
  std::vector<double> direct(Exchange kind, Side side, std::int64_t size, bool together);

  Json::Object conditions() const;  // of its buffers
  bool elsewhere(int rank) const;   // on another host
  // Returns the number of pairs that communicate simultaneously in one direction between the busiest host and others;
  // not for test `pairs`.
  int through_network() const;
  // Returns on rank 0 the rows of all ranks, which have equal length, one after another.
  std::vector<double> gather(const std::vector<double>& row) const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::pt2pt
