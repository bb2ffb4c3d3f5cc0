#include "kernel_choice.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/clock.hpp"
#include "core/isa.hpp"

namespace banzuke::spmv {
namespace {

// Returns the shortest time of a product in SELL whose data stays in the L1 cache.
double seconds(const Kernels& kernels) {
  constexpr std::int64_t chunks = 32;
  constexpr std::int64_t length = 6;
  constexpr std::int64_t entries = chunks * length * chunk;
  std::vector<std::int64_t> start(chunks + 1);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<std::int64_t>(i) * length * chunk;
  std::vector<std::int32_t> column(entries);
  for (std::size_t k = 0; k < column.size(); ++k) column[k] = static_cast<std::int32_t>(k * 37 % (chunks * chunk));
  const std::vector<double> value(entries, 1.0);
  const std::vector<double> x(chunks * chunk, 1.0);
  std::vector<double> y(x.size());
  double best = std::numeric_limits<double>::infinity();
  for (int call = 0; call < 10; ++call) {
    const double begin = now();
    kernels.chunks({start.data(), column.data(), value.data(), nullptr, 1, nullptr, nullptr}, 0, chunks, x.data(),
                   y.data());
    best = std::min(best, now() - begin);
  }
  return best;
}

// Both ways to gather; the second is null where the instruction set has only one. SVE loads by NEON's instructions.
struct Ways {
  const Kernels* loads;
  const Kernels* gathers;
};

constexpr std::array choices{
#if defined(__x86_64__)
    banzuke::Choice{Isa::avx512, Ways{&avx512_kernels, &avx512_gather_kernels}},
    banzuke::Choice{Isa::avx2, Ways{&avx2_kernels, &avx2_gather_kernels}},
#elif defined(__aarch64__)
    banzuke::Choice{Isa::sve512, Ways{&plain_kernels, &sve512_kernels}},
    banzuke::Choice{Isa::sve256, Ways{&plain_kernels, &sve256_kernels}},
    banzuke::Choice{Isa::sve128, Ways{&plain_kernels, &sve128_kernels}},
#endif
    banzuke::Choice{Isa::plain, Ways{&plain_kernels, nullptr}},
};

const Kernels* faster(const Ways& ways) {
  if (ways.gathers == nullptr) return ways.loads;
  return seconds(*ways.loads) <= seconds(*ways.gathers) ? ways.loads : ways.gathers;
}

}  // namespace

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> available;
  for (const Ways& ways : runnable(choices)) {
    if (std::ranges::find(available, ways.loads) == available.end()) available.push_back(ways.loads);
    if (ways.gathers != nullptr) available.push_back(ways.gathers);
  }
  return available;
}

const Kernels& fastest_kernels() {
  static const Kernels* const fastest = faster(widest(choices));
  return *fastest;
}

}  // namespace banzuke::spmv
