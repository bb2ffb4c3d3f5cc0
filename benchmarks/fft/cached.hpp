// The transforms of both passes on data that stay in a core's own caches: what memory and messages cannot slow down.
//
//   for (each block of eight columns) { load(x); transform(x); turn or store(x); }     as in a pass, in one place
#pragma once

#include <cstdint>
#include <vector>

#include "core/communicator.hpp"
#include "core/fft/kernels.hpp"
#include "fft.hpp"

namespace banzuke::fft {

struct Cached {
  std::vector<double> seconds;  // of one transform of n numbers by all threads of all ranks, for each sample
  double error = 0.0;           // of the last blocks: see cached_error
};

// Takes `samples` samples with the kernels; all threads at once. Collective.
Cached cached_transforms(const Split& lengths, std::int64_t samples, const Communicator& ranks, const Kernels& kernels);

// The error of a block is the largest difference of some outputs from their definition / (eps sqrt(n) ln n), for
// transforms of length n.
inline constexpr double cached_tolerance = 16.0;

}  // namespace banzuke::fft
