// Transfers: bandwidth between host and device memory, and between two devices, by each path within one process.
// `first` and `second` are devices; a sample is a number of copies of n bytes, queued at once:
//
//   pageable, pinned      copy(second, host) by the copy engine, from memory that is pageable or locked
//   kernel                second[i] = host[i] by the multiprocessors, which reach locked memory over the link
//   staged, pipelined     copy(host, first), copy(second, host), whole or in chunks, two of them in flight
//   peer                  copy(second, first) by the copy engine, direct
//   peer-write, peer-read second[i] = first[i], by the first's multiprocessors or by the second's
//   nccl                  send and receive of NCCL or RCCL
//   local                 copy within the first
//
// in one direction, the other, or both at once: n bytes are counted per copy and direction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"

namespace banzuke::transfer {

struct Params {
  std::string test = "bandwidth";
  std::string path = "pinned";
  std::string direction = "to-device";
  std::int64_t other = 1;
  std::int64_t min_size = 1;
  std::int64_t max_size = std::int64_t{1} << 28U;
  std::int64_t chunk = 0;
  std::int64_t samples = 7;
  std::int64_t rounds = 0;
};

void declare(Parameters& parameters, Params& params);
// Each test and path uses only some of the parameters.
void settle(Parameters& parameters, Params& params);
// Throws UsageError for a meaningless call.
Problem problem(const Params& params, int ranks);

// Returns whether a path is between two devices, rather than between a device and the host, or within a device.
bool between_devices(const std::string& path);

// Chunk sizes to try, of which the fastest is taken: the requested one, else a few; none if the path has no chunks.
std::vector<std::int64_t> chunks(const Params& params);
Params with_chunk(const Params& params, std::int64_t chunk);
inline constexpr std::int64_t chunk_samples = 3;  // per chunk size tried

// Sizes of the test, powers of two.
std::vector<std::int64_t> sizes(const Params& params);

// Copies per sample: enough for the resolution of a device's clock, and few enough for its queue; one for latency.
std::int64_t copies(const Params& params, std::int64_t size);
inline std::int64_t latency_samples(const Params& params) { return 15 * params.samples; }
// Operations that the host queues per copy, for a known chunk.
std::int64_t operations(const Params& params, std::int64_t size);
// Maximum number of operations on a blocked stream: a device's queue takes about a thousand.
inline constexpr std::int64_t most_held = 512;
// Returns whether queued work is held back until all is queued; not for copies of pageable memory, which block the
// host, or NCCL, which allocates.
bool held(const Params& params, std::int64_t size);

// Positions of a sample's copies, consecutive as far as they fit in `most_checked` bytes. The gaps after each must stay
// unchanged.
struct Slots {
  std::int64_t size = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;

  std::int64_t bytes() const { return stride * count; }
  std::int64_t offset(std::int64_t copy) const { return copy % count * stride; }
};
Slots slots(std::int64_t size, std::int64_t copies);
inline constexpr std::int64_t most_checked = std::int64_t{16} << 20U;
// Bytes of each buffer.
std::int64_t buffer_bytes(const Params& params);

// What the data depend on besides the position: the size, the round, and the two ends.
struct Key {
  std::int64_t size = 0;
  std::int64_t round = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};
// Slots are filled and checked in parts of this many bytes, numbered within the slot.
inline constexpr std::int64_t part_bytes = std::int64_t{8} << 20U;
void fill(std::span<std::byte> part, const Key& key, std::int64_t slot, std::int64_t number);
std::int64_t wrong(std::span<const std::byte> part, const Key& key, std::int64_t slot, std::int64_t number);
// Value of a target's bytes before a transfer, and of its gaps also afterwards; no long stretch of a key's data has it.
inline constexpr int untouched = 0xA5;

// A direction between two memories: -1 is the host's, others are indices into the program's devices.
struct Ends {
  int from = -1;
  int to = 0;
};

class Transfers {
 public:
  // Throws Unsupported if this machine lacks the path.
  explicit Transfers(const Params& params);

  struct Timed {
    std::vector<double> seconds{};  // of each sample
    std::int64_t wrong = 0;         // wrong bytes after the last one
  };
  // Times copies of one size by the case's path.
  Timed timed(std::int64_t size, Watch& watch);
  // The same for the matrix's size between any two ends, by the copy engine; through host memory if devices cannot
  // access each other.
  Timed timed(Ends ends, Watch& watch);

  std::vector<std::string> devices() const;  // identities of the devices used
  // Resource demand of `bytes` bytes in each direction on the case's path, and between two memories of the matrix.
  std::vector<Demand> demand(double bytes) const;
  std::vector<Demand> demand(Ends ends, double bytes) const;
  Json::Object conditions() const;
  Json::Object software() const;
  std::vector<Verification> checks() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// What the matrix of pairs measures.
namespace matrix {
std::int64_t size(const Params& params);                       // 64 MiB, or max_size
inline constexpr std::int64_t copies = 4;                      // per sample
inline constexpr std::int64_t chunk = std::int64_t{2} << 20U;  // through host memory
inline constexpr int samples = 3;
inline constexpr int all = 64;     // up to this many devices, all pairs are measured unless `rounds` says otherwise
inline constexpr int rounds = 16;  // with more devices
}  // namespace matrix

Result measure(const Params& params, const Context& context);

}  // namespace banzuke::transfer
