#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/isa.hpp"
#include "core/thread_rates.hpp"
#include "loops.hpp"
#include "stream.hpp"

namespace banzuke::stream {
namespace {

constexpr std::array choices{
#if defined(__x86_64__)
    Choice{Isa::avx512, &avx512_loops},
    Choice{Isa::avx2, &avx2_loops},
    Choice{Isa::plain, &plain_loops},
#elif defined(__aarch64__)
    Choice{Isa::sve, &sve_loops},
    Choice{Isa::neon, &neon_loops},
#else
    Choice{Isa::plain, &plain_loops},
#endif
};

const Loops& widest(Stores stores) {
  for (const auto& compiled : runnable(choices)) {
    if (const Loops* loops = compiled(stores)) return *loops;
  }
  throw std::runtime_error("no loops with non-temporal stores for this processor; use stores=plain");
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  declare_sizes(parameters, params);
  parameters.add("stores", params.stores, "how results are written: past the caches or through them",
                 {"nontemporal", "plain"});
}

Problem problem(const Params& params, int /*ranks*/) { return {.footprint = footprint(params)}; }

struct Stream::Impl {
  explicit Impl(const Params& params)
      : n(static_cast<std::size_t>(params.n)),
        stores(params.stores),
        loops(widest(params.stores == "plain" ? Stores::plain : Stores::nontemporal)),
        a(n),
        b(n, skew),
        c(n, 2 * skew) {}

  // Calls part(first, length) on every thread for its share of whole cache lines. Shares are the same for every loop
  // and for the first touch.
  template <class Part>
  void share(Part part) const {
    constexpr std::int64_t line = 64 / sizeof(double);
#pragma omp parallel
    {
      const auto [first, last] = banzuke::share(0, static_cast<std::int64_t>(n), omp_get_thread_num(), parts, line);
      part(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    }
  }

  // Adds a thread's part to `dot`.
  void add_dot(const double* x, const double* y, std::size_t length) {
    double sum = 0.0;
    for (std::size_t i = 0; i < length; i += dot_block) {
      sum += loops.dot(x + i, y + i, std::min<std::size_t>(dot_block, length - i));
    }
#pragma omp atomic
    dot += sum;
  }

  std::size_t n;
  std::string stores;
  const Loops& loops;
  double dot = 0.0;
  Parts parts = team_parts(omp_get_max_threads());
  Array<double> a, b, c;
};

Stream::Stream(const Params& params) : impl_(make_hidden<Impl>(params)) {
  impl_->share([&](std::size_t first, std::size_t length) {
    std::fill_n(impl_->a.data() + first, length, 1.0);
    std::fill_n(impl_->b.data() + first, length, 2.0);
    std::fill_n(impl_->c.data() + first, length, 0.0);
  });
}

void Stream::calibrate() {
  impl_->share([&](std::size_t first, std::size_t length) {
    for (std::size_t i = first; i < first + length; ++i) impl_->a[i] *= 2.0;
  });
}

double Stream::run(Kernel kernel) {
  double* a = impl_->a.data();
  double* b = impl_->b.data();
  double* c = impl_->c.data();
  const Loops& loops = impl_->loops;
  if (kernel == Kernel::dot) impl_->dot = 0.0;
  const double start = now();
  impl_->share([=, this](std::size_t i, std::size_t length) {
    switch (kernel) {
      case Kernel::copy:
        return loops.copy(c + i, a + i, length);
      case Kernel::scale:
        return loops.scale(b + i, c + i, length);
      case Kernel::add:
        return loops.add(c + i, a + i, b + i, length);
      case Kernel::triad:
        return loops.triad(a + i, b + i, c + i, length);
      case Kernel::dot:
        return impl_->add_dot(a + i, b + i, length);
    }
  });
  return now() - start;
}

double Stream::dot() const { return impl_->dot; }

void Stream::read(std::size_t array, const Piece& piece) const {
  const std::array<const Array<double>*, 3> arrays{&impl_->a, &impl_->b, &impl_->c};
  piece(arrays[array]->span());
}

Json::Object Stream::conditions() const {
  return {{"huge_page_fraction", huge_page_fraction()}, {"stores", impl_->stores}, {"method", impl_->loops.name}};
}

std::vector<Verification> Stream::checks() const { return {}; }

}  // namespace banzuke::stream
