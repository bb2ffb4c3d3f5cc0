#include "streams.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "core/isa.hpp"

namespace banzuke::memory {
namespace {

constexpr std::array names{"load", "store", "copy", "triad"};
constexpr std::size_t gap_elements = gap / sizeof(double);

std::size_t elements(Loop loop, std::int64_t size) {
  const auto n = static_cast<std::size_t>(size / arrays_of(loop)) / sizeof(double);
  return n / grain * grain;
}

constexpr std::array choices{
#if defined(__x86_64__)
    Choice{Isa::avx512, &avx512_kernels},
    Choice{Isa::avx2, &avx2_kernels},
#elif defined(__aarch64__)
    Choice{Isa::sve, &sve_kernels},
#endif
    Choice{Isa::plain, &plain_kernels},
};

}  // namespace

std::span<const Kernels* const> all_kernels() {
  static const std::vector<const Kernels*> all = [] {
    std::vector<const Kernels*> kernels;
    for (const auto& compiled : runnable(choices)) kernels.push_back(&compiled());
    return kernels;
  }();
  return all;
}

const Kernels* kernels_named(std::string_view name) {
  if (name == isa_names.front()) return all_kernels().front();
  constexpr std::array order{Isa::avx512, Isa::avx2, Isa::sve, Isa::plain};
  static_assert(order.size() + 1 == isa_names.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (name != isa_names[i + 1] || !runs(order[i])) continue;
    for (const auto& [isa, compiled] : choices) {
      if (isa == order[i]) return &compiled();
    }
  }
  return nullptr;
}

Loop loop_named(std::string_view name) {
  const auto* place = std::ranges::find(names, name);
  if (place == names.end()) throw std::invalid_argument("no loop " + std::string(name));
  return static_cast<Loop>(place - names.begin());
}

std::int64_t arrays_of(Loop loop) { return loop == Loop::triad ? 3 : loop == Loop::copy ? 2 : 1; }

std::int64_t reserved(Loop loop, std::int64_t size) { return size + (arrays_of(loop) - 1) * gap; }

std::int64_t counted(Loop loop, std::int64_t size) {
  return static_cast<std::int64_t>(sizeof(double) * elements(loop, size)) * arrays_of(loop);
}

Streams::Streams(const Kernels& kernels, Loop loop, double* start, std::int64_t size)
    : kernels_(&kernels),
      loop_(loop),
      n_(elements(loop, size)),
      a_(start),
      b_(a_ + n_ + gap_elements),
      c_(b_ + n_ + gap_elements) {
  for (std::size_t i = 0; i < n_; ++i) a_[i] = loop == Loop::load ? element(0, i) : 0.0;
  if (loop == Loop::load || loop == Loop::store) return;
  for (std::size_t i = 0; i < n_; ++i) b_[i] = element(1, i);
  if (loop == Loop::copy) return;
  for (std::size_t i = 0; i < n_; ++i) c_[i] = element(2, i);
}

void Streams::run(std::int64_t passes) {
  switch (loop_) {
    case Loop::load:
      sum_ += kernels_->load(a_, n_, passes);
      break;
    case Loop::store:
      kernels_->store(a_, n_, passes_ + 1, passes);
      break;
    case Loop::copy:
      kernels_->copy(a_, b_, n_, passes);
      break;
    case Loop::triad:
      kernels_->triad(a_, b_, c_, n_, passes_ + 1, passes);
      break;
  }
  passes_ += passes;
}

}  // namespace banzuke::memory
