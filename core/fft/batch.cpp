#include "core/fft/batch.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "core/fft/roots.hpp"
#include "core/isa.hpp"

namespace banzuke::fft {
namespace {

// Returns the radices: few and large ones, but never 2 with 8, because 4 and 4 cost less.
std::vector<int> radices(std::int64_t n) {
  std::vector<int> out;
  for (const int radix : {5, 3}) {
    for (; n % radix == 0; n /= radix) out.push_back(radix);
  }
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  if (n != 1) throw std::invalid_argument(std::to_string(n) + " is no product of 2, 3 and 5");
  if (twos == 1) out.push_back(2);
  while (twos > 1 && twos % 3 != 0) {
    out.push_back(4);
    twos -= 2;
  }
  for (; twos > 1; twos -= 3) out.push_back(8);
  return out;
}

constexpr std::array kernel_choices{
#if defined(__x86_64__)
    Choice{Isa::avx512, &avx512},
    Choice{Isa::avx2, &avx2},
#elif defined(__aarch64__)
    Choice{Isa::sve512, &sve512},
    Choice{Isa::sve256, &sve256},
#endif
    Choice{Isa::plain, &plain},
};

}  // namespace

const Kernels& kernels() { return *widest(kernel_choices); }

std::vector<const Kernels*> available_kernels() { return runnable(kernel_choices); }

Batch::Batch(std::int64_t n) : n_(n), place_(static_cast<std::size_t>(n)) {
  std::int64_t block = n;
  for (const int radix : radices(n)) {
    const std::int64_t distance = block / radix;
    auto& factors = factors_.emplace_back();
    for (std::int64_t j = 0; j < distance; ++j) {
      for (int p = 1; p < radix; ++p) factors.push_back(root(j * p, block));
    }
    stages_.push_back({.radix = radix, .distance = distance, .factors = factors.data()});
    block = distance;
  }
  for (std::int64_t at = 0; at < n; ++at) {
    std::int64_t k = 0;
    std::int64_t weight = 1;
    std::int64_t left = at;
    for (const Stage& stage : stages_) {
      k += left / stage.distance * weight;
      left %= stage.distance;
      weight *= stage.radix;
    }
    place_[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(at);
  }
}

}  // namespace banzuke::fft
