// Parallel file bandwidth, as IOR 4 defines it. A file is segments x ranks x block bytes, a block is written in
// transfers:
//
//   files = per-process: rank r has its own file, block after block            at  s * block + t
//   files = shared:      all have one, and r's block of segment s is           at (s * ranks + r) * block + t
//
//   barrier; open; for all transfers: write; fsync; close         bytes of all ranks / longest time from the barrier
//   barrier; open; for all transfers: read; close                 the same, of the data of rank r + shift
#pragma once

#include <cstdint>
#include <string>

#include "core/application.hpp"

namespace banzuke::ior {

struct Params {
  std::string folder = ".";
  std::string area{};  // empty: the mount point
  std::string files = "per-process";
  std::int64_t block = std::int64_t{16} << 20U;
  std::int64_t transfer = std::int64_t{1} << 20U;
  std::int64_t segments = 1;
  std::string access = "buffered";
  std::string fsync = "yes";
  std::string order = "sequential";
  std::int64_t shift = -1;
  std::string phases = "write-read";
  std::int64_t rounds = 3;
  double stonewall = 0.0;
  double most_seconds = 0.0;
  std::int64_t queue_depth = 1;
  std::string collective = "no";
  std::int64_t stripe_count = 0;
  std::int64_t stripe_size = 0;

  bool shared() const { return files == "shared"; }
  bool direct() const { return access == "direct"; }
  bool synchronised() const { return fsync != "no"; }
  bool synchronised_each() const { return fsync == "each"; }
  bool random() const { return order == "random"; }
  std::int64_t transfers() const { return segments * (block / transfer); }  // per rank
  std::int64_t rank_bytes() const { return segments * block; }
};

void declare(Parameters& parameters, Params& params);
Problem problem(const Params& params, int ranks);
Result measure(const Params& params, const Context& context);

// Read buffers of a rank, used in turn: more than transfers in flight, because these complete out of order.
inline std::int64_t read_places(const Params& params) { return params.queue_depth > 1 ? 2 * params.queue_depth : 1; }

// Granularity of direct transfers: no disk has larger sectors.
inline constexpr std::int64_t direct_step = 4096;

}  // namespace banzuke::ior
