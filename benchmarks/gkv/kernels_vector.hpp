// The inner loops on vectors of 2, 4 or 8 lanes (the compilers' vector extension). Included once by each kernels_*.cpp,
// which provides `Set`: `lanes`, stream(double*, vector), a non-temporal store, and fence().
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

// Differences along the first `dimensions` dimensions; with three, also the mirror force.
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

  // Prefetches rows of some planes.
  static void ask(const double* rows, int planes, std::int64_t step, std::int64_t count) {
    for (int k = 0; k < planes; ++k) {
      for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(rows + k * step + i);
    }
  }

  // Planes of v share rows in registers, and neighbours along m are still in the L1 cache: only the rows of two planes
  // on either side come from L2. Prefetches are spread over the loop, because a burst of them would delay other rows.
  template <int planes>
  static void collide(const CollisionBlock& block, std::int64_t count) {
    constexpr std::int64_t ahead = 3;  // the first m that m itself does not read
    const CollisionBlock b = block;
    for (std::int64_t m = 0; m < b.moments; ++m) {
      const bool more = m + ahead < b.moments + 2;
      const double* soon = more ? b.fresh + (m + ahead) * b.step_m : b.next;
      const int others = (more ? b.fresh_planes : b.next_planes) - planes;
      ask(soon + planes * b.step_v, others, b.step_v, count);
      if (!more) {
        for (std::int64_t k = 1; k < ahead; ++k) ask(b.next + k * b.step_m, b.next_planes, b.step_v, count);
      }
      const double* f = b.f + m * b.step_m;
      const double* up = f + b.step_m;
      const double* up2 = up + b.step_m;
      const double* down = m > 0 ? f - b.step_m : up;
      const double* down2 = m > 1 ? f - 2 * b.step_m : m > 0 ? f : up2;
      const double* c = b.of_m + 5 * m;
      double* out = b.out + m * b.out_step_m;
      for (std::int64_t at = 0; at < count; at += line) {
#pragma GCC unroll 4
        for (int k = 0; k < planes; ++k) __builtin_prefetch(soon + k * b.step_v + at);
#pragma GCC unroll 4
        for (std::int64_t i = at; i < at + line; i += lanes) {
          V row[planes + 4];
#pragma GCC unroll 8
          for (int k = 0; k < planes + 4; ++k) row[k] = load(f + (k - 2) * b.step_v + i);
          const V centre = c[0] - load(b.damp + i);
#pragma GCC unroll 4
          for (int k = 0; k < planes; ++k) {
            const std::int64_t at_v = k * b.step_v + i;
            const double* v = b.of_v[k];
            const V along_v =
                centre * row[k + 2] + v[0] * row[k + 3] + v[1] * row[k + 4] + v[2] * row[k + 1] + v[3] * row[k];
            const V along_m =
                c[1] * load(up + at_v) + c[2] * load(up2 + at_v) + c[3] * load(down + at_v) + c[4] * load(down2 + at_v);
            Set::stream(out + k * b.out_step_v + i, along_v + along_m);
          }
        }
      }
    }
  }
  static void collisions(const CollisionBlock& block, std::int64_t count) {
    (block.planes == together ? collide<together> : collide<1>)(block, count);
  }

  // Planes of z share rows in registers. What the next v reads first is prefetched into the L2 cache meanwhile: rows of
  // v + 3, and those around the block at v + 1.
  template <int dimensions, int planes>
  static void flow(const StreamingBlock& block, std::int64_t count) {
    const StreamingBlock b = block;
    const double* next = b.f + b.step_v;
    const double* fresh = b.f + 3 * b.step_v;
    constexpr std::int64_t beside = 4 * planes;  // rows below and above the block
    const std::int64_t share = (beside + b.rows - 1) / b.rows;
    for (std::int64_t y = 0; y < b.rows; ++y) {
      for (std::int64_t at = 0; at < count; at += line) {
        if constexpr (dimensions > 2) {
#pragma GCC unroll 9
          for (int k = -3; k < planes + 2; ++k) {
            fetch((k < 0 || k >= planes ? next : fresh) + k * b.step_z + y * b.step_y + at);
          }
          for (std::int64_t i = y * share; i < (y + 1) * share && i < beside; ++i) {
            const std::int64_t side = i / planes;
            fetch(next + i % planes * b.step_z + (side < 2 ? side - 2 : b.rows + side - 2) * b.step_y + at);
          }
        }
#pragma GCC unroll 4
        for (std::int64_t i = at; i < at + line; i += lanes) {
          flow_lanes<dimensions, planes>(b, b.f + y * b.step_y + i, b.out + y * b.out_step_y + i);
        }
      }
    }
  }
  static void fetch(const double* row) { __builtin_prefetch(row, 0, 2); }

  template <int dimensions, int planes>
  [[gnu::always_inline]] static void flow_lanes(const StreamingBlock& b, const double* first, double* out) {
    V row[planes + 5] = {};  // NOLINT(misc-const-correctness): of three dimensions it is loaded
    if constexpr (dimensions > 2) {
#pragma GCC unroll 9
      for (int k = 0; k < planes + 5; ++k) row[k] = load(first + (k - 3) * b.step_z);
    }
#pragma GCC unroll 4
    for (int k = 0; k < planes; ++k) {
      const double* f = first + k * b.step_z;
      V sum =  // NOLINT(misc-const-correctness): more dimensions add to it
          b.x[0] * (load(f + 2) - load(f - 2)) + b.x[1] * (load(f + 4) - load(f - 4));
      if constexpr (dimensions > 1) {
        sum += b.y[0] * (load(f + b.step_y) - load(f - b.step_y)) +
               b.y[1] * (load(f + 2 * b.step_y) - load(f - 2 * b.step_y));
      }
      if constexpr (dimensions > 2) {
        sum += (b.z[0] * row[k] + b.z[1] * row[k + 1] + b.z[2] * row[k + 2]) +
               (b.z[3] * row[k + 3] + b.z[4] * row[k + 4] + b.z[5] * row[k + 5]);
        const V near = load(f + b.step_v) - load(f - b.step_v);
        const V far = load(f + 2 * b.step_v) - load(f - 2 * b.step_v);
        sum += b.v[k] * (near - 0.125 * far);
      }
      Set::stream(out + k * b.out_step_z, sum);
    }
  }
  template <int dimensions>
  static void streaming(const StreamingBlock& block, std::int64_t count) {
    (block.planes == together ? flow<dimensions, together> : flow<dimensions, 1>)(block, count);
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
          .collisions = L::collisions,
          .streaming = {L::template streaming<1>, L::template streaming<2>, L::template streaming<3>},
          .fence = Set::fence};
}

}  // namespace
}  // namespace banzuke::gkv
// NOLINTEND(modernize-avoid-c-arrays)
