// The inner loops over vectors of 2, 4 or 8 lanes (the compilers' vector extension). Included once by each
// kernels_*.cpp, which gives the `Set`: `lanes`, stream(double*, vector), a store past the caches, and fence().
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include "kernels.hpp"

namespace banzuke::gkv {
namespace {

template <int width>
struct Types {
  using Real __attribute__((vector_size(8 * width), aligned(8), may_alias)) = double;
};
template <int width>
using Real = typename Types<width>::Real;

void intgrl(double* __restrict sum, const double* __restrict f, double weight, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += weight * f[i];
}

void diff45(double* __restrict out, const double* __restrict f, std::int64_t step_v, const double* const* m,
            const double* __restrict damp, const Collision& c, std::int64_t count) {
  const double* __restrict v2m = f - 2 * step_v;
  const double* __restrict v1m = f - step_v;
  const double* __restrict v1p = f + step_v;
  const double* __restrict v2p = f + 2 * step_v;
  const double* __restrict m2m = m[0];
  const double* __restrict m1m = m[1];
  const double* __restrict m1p = m[2];
  const double* __restrict m2p = m[3];
  const Collision k = c;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = k.second_v * (-v2p[i] + 16.0 * v1p[i] - 30.0 * f[i] + 16.0 * v1m[i] - v2m[i]) +
             k.first_v * (-v2p[i] + 8.0 * v1p[i] - 8.0 * v1m[i] + v2m[i]) +
             k.second_m * (-m2p[i] + 16.0 * m1p[i] - 30.0 * f[i] + 16.0 * m1m[i] - m2m[i]) +
             k.first_m * (-m2p[i] + 8.0 * m1p[i] - 8.0 * m1m[i] + m2m[i]) + (k.centre - damp[i]) * f[i];
  }
}

// With differences along the first `dimensions`; of three with the mirror force.
template <int dimensions>
void diff123(double* __restrict out, const double* __restrict f, const Steps& steps, const Streaming& c,
             std::int64_t count) {
  const Steps s = steps;
  const Streaming k = c;
  const std::int64_t flow = k.sign * s.z;  // one point further with the flow
  for (std::int64_t i = 0; i < count; ++i) {
    double sum =  // NOLINT(misc-const-correctness): more dimensions add to it
        k.x * (-f[i + 4] + 8.0 * f[i + 2] - 8.0 * f[i - 2] + f[i - 4]);
    if constexpr (dimensions > 1) {
      sum += k.y * (-f[i + 2 * s.y] + 8.0 * f[i + s.y] - 8.0 * f[i - s.y] + f[i - 2 * s.y]);
    }
    if constexpr (dimensions > 2) {
      sum += k.z * (-2.0 * f[i - 3 * flow] + 15.0 * f[i - 2 * flow] - 60.0 * f[i - flow] + 20.0 * f[i] +
                    30.0 * f[i + flow] - 3.0 * f[i + 2 * flow]) +
             k.hyper * (f[i - 2 * s.z] - 4.0 * f[i - s.z] + 6.0 * f[i] - 4.0 * f[i + s.z] + f[i + 2 * s.z]) +
             k.v * (-f[i + 2 * s.v] + 8.0 * f[i + s.v] - 8.0 * f[i - s.v] + f[i - 2 * s.v]);
    }
    out[i] = sum;
  }
}

template <class Set>
struct Loops {
  using V = Real<Set::lanes>;
  static constexpr int lanes = Set::lanes;
  static constexpr std::int64_t line = 8;  // doubles

  static V load(const double* from) { return *reinterpret_cast<const V*>(from); }

  static void add(double* sum, const double* const* f, const double* weight, std::int64_t count) {
    const double* f0 = f[0];
    const double* f1 = f[1];
    const double* f2 = f[2];
    const double* f3 = f[3];
    for (std::int64_t i = 0; i < count; i += lanes) {
      V& to = *reinterpret_cast<V*>(sum + i);
      to += weight[0] * load(f0 + i) + weight[1] * load(f1 + i) + (weight[2] * load(f2 + i) + weight[3] * load(f3 + i));
    }
  }

  template <int rows, bool shifted, bool damped>
  static void combine(double* out, const Combination& row, std::int64_t count) {
    const Combination r = row;
    for (std::int64_t at = 0; at < count; at += line) {
      __builtin_prefetch(r.ahead + at);
#pragma GCC unroll 4
      for (std::int64_t i = at; i < at + line; i += lanes) {
        const V centre = load(r.in[0] + i);
        V sum = damped ? (r.c[0] - load(r.damp + i)) * centre : r.c[0] * centre;
#pragma GCC unroll 14
        for (int k = 1; k < rows; ++k) sum += r.c[k] * load(r.in[k] + i);
        if constexpr (shifted) {
          const double* f = r.in[0] + i;
          sum += r.x1 * (load(f + 2) - load(f - 2)) + r.x2 * (load(f + 4) - load(f - 4));
        }
        Set::stream(out + i, sum);
      }
    }
  }
};

template <class Set>
constexpr Kernels kernels(const char* name) noexcept {
  using L = Loops<Set>;
  return {.name = name,
          .intgrl = intgrl,
          .diff45 = diff45,
          .diff123 = {diff123<1>, diff123<2>, diff123<3>},
          .add = L::add,
          .combine45 = L::template combine<rows45, false, true>,
          .combine123 = {L::template combine<rows123[0], true, false>, L::template combine<rows123[1], true, false>,
                         L::template combine<rows123[2], true, false>},
          .fence = Set::fence};
}

}  // namespace
}  // namespace banzuke::gkv
// NOLINTEND(modernize-avoid-c-arrays)
