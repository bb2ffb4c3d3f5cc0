// The kernels on vectors of 2, 4 or 8 lanes (the compilers' vector extension). Included once by each kernels_*.cpp,
// which provides `Set`: `lanes`, stream(double*, vector), a non-temporal store, and split(), the parts of `lanes`
// numbers. Loops over registers are unrolled explicitly, because an array that is indexed at run time lives in memory.
// The arrays are C arrays, because std::array would bring functions that the linker could share with the rest of the
// program.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include "core/fft/butterflies.hpp"
#include "core/fft/kernels.hpp"

namespace banzuke::fft {
namespace {

template <int width>
struct Types {
  using Real __attribute__((vector_size(8 * width), aligned(8), may_alias)) = double;
};
template <int width>
using Real = typename Types<width>::Real;

template <int width>
struct Pair {
  Real<width> re, im;

  friend Pair operator+(Pair a, Pair b) { return {a.re + b.re, a.im + b.im}; }
  friend Pair operator-(Pair a, Pair b) { return {a.re - b.re, a.im - b.im}; }
  friend Pair operator*(Pair a, double b) { return {a.re * b, a.im * b}; }
  friend Pair operator*(Pair a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Pair operator*(Pair a, Pair b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  // Times -i.
  Pair turned() const { return {im, -re}; }
};

template <class Set>
struct Loops {
  using Vector = Real<Set::lanes>;
  using P = Pair<Set::lanes>;
  static constexpr int parts = lanes / Set::lanes;

  static P get(const Lanes& x, int part) {
    return {*reinterpret_cast<const Vector*>(x.re + part * Set::lanes),
            *reinterpret_cast<const Vector*>(x.im + part * Set::lanes)};
  }
  static void put(P p, Lanes& x, int part) {
    *reinterpret_cast<Vector*>(x.re + part * Set::lanes) = p.re;
    *reinterpret_cast<Vector*>(x.im + part * Set::lanes) = p.im;
  }

  // Into the second cache, because the first one has too few lines in flight to hide the memory's latency.
  static void fetch(const void* row) {
    __builtin_prefetch(row, 0, 2);
    __builtin_prefetch(static_cast<const char*>(row) + 64, 0, 2);
  }

  // Where a stage finds its rows, and how many butterflies ahead it fetches them. Of columns only 24 rows: a power of
  // two as the stride maps them to few sets of the cache.
  struct InPlace {
    const Lanes* x;

    P operator()(std::int64_t row, int part) const { return get(x[row], part); }
    template <int radix>
    void fetch_ahead(std::int64_t /*row*/) const {}
  };
  struct OfRows {
    const Lanes* in;

    P operator()(std::int64_t row, int part) const { return get(in[row], part); }
    template <int radix>
    void fetch_ahead(std::int64_t row) const {
      fetch(in + row + 16);
    }
  };
  struct OfColumns {
    const Complex* in;
    std::int64_t stride;

    P operator()(std::int64_t row, int part) const { return Set::split(in + row * stride + part * Set::lanes); }
    template <int radix>
    void fetch_ahead(std::int64_t row) const {
      fetch(in + (row + 24 / radix) * stride);
    }
  };

  template <int radix, class Source>
  static void stage(const Stage& stage, Source source, Lanes* x) {
    const std::int64_t distance = stage.distance;
    const Complex* factor = stage.factors;
    for (std::int64_t j = 0; j < distance; ++j, factor += radix - 1) {
      for (int part = 0; part < parts; ++part) {
        P p[radix];
#pragma GCC unroll 8
        for (int q = 0; q < radix; ++q) p[q] = source(j + q * distance, part);
        if (part + 1 == parts) {  // after the loads, whose lines may be in the same sets
#pragma GCC unroll 8
          for (int q = 0; q < radix; ++q) source.template fetch_ahead<radix>(j + q * distance);
        }
        Butterfly<radix>::run(p);
        put(p[0], x[j], part);
#pragma GCC unroll 8
        for (int q = 1; q < radix; ++q) put(distance > 1 ? p[q] * factor[q - 1] : p[q], x[j + q * distance], part);
      }
    }
  }

  // Recursive: a block's first stage, then the remaining stages of each of its parts, so that small parts stay in the
  // nearest caches.
  template <class Source>
  static void transform_of(const Stage* stages, int count, Source source, Lanes* x) {
    if (count == 0) {
      for (int part = 0; part < parts; ++part) put(source(0, part), x[0], part);
      return;
    }
    switch (stages->radix) {
      case 2:
        stage<2>(*stages, source, x);
        break;
      case 3:
        stage<3>(*stages, source, x);
        break;
      case 4:
        stage<4>(*stages, source, x);
        break;
      case 5:
        stage<5>(*stages, source, x);
        break;
      default:
        stage<8>(*stages, source, x);
        break;
    }
    for (int part = 0; part < stages->radix && count > 1; ++part) {
      transform(stages + 1, count - 1, x + part * stages->distance);
    }
  }

  static void transform(const Stage* stages, int count, Lanes* x) { transform_of(stages, count, InPlace{x}, x); }
  static void transform_rows(const Stage* stages, int count, const Lanes* in, Lanes* x) {
    transform_of(stages, count, OfRows{in}, x);
  }
  static void transform_columns(const Stage* stages, int count, const Complex* in, std::int64_t stride, Lanes* x) {
    transform_of(stages, count, OfColumns{in, stride}, x);
  }

  static void load(const Complex* in, std::int64_t stride, std::int64_t rows, int width, Lanes* x) {
    if (width == lanes) {
      const OfColumns source{in, stride};
      for (std::int64_t row = 0; row < rows; ++row) {
        source.template fetch_ahead<1>(row);
        for (int part = 0; part < parts; ++part) put(source(row, part), x[row], part);
      }
      return;
    }
    for (std::int64_t row = 0; row < rows; ++row, in += stride) {
      for (int lane = 0; lane < lanes; ++lane) {
        x[row].re[lane] = lane < width ? in[lane].re : 0.0;
        x[row].im[lane] = lane < width ? in[lane].im : 0.0;
      }
    }
  }

  static void store(const Lanes* x, const std::int32_t* place, std::int64_t rows, int width, std::int64_t stride,
                    Complex* out, bool past_caches) {
    // Streaming stores need whole, aligned vectors.
    const bool whole = width == lanes;
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 64 == 0 && stride % 4 == 0;
    if (whole && aligned && past_caches) {
      for (std::int64_t row = 0; row < rows; ++row, out += stride) Set::template join<true>(x[place[row]], out);
    } else if (whole) {
      for (std::int64_t row = 0; row < rows; ++row, out += stride) Set::template join<false>(x[place[row]], out);
    } else {
      for (std::int64_t row = 0; row < rows; ++row, out += stride) {
        for (int lane = 0; lane < width; ++lane) out[lane] = {x[place[row]].re[lane], x[place[row]].im[lane]};
      }
    }
  }

  // turn() of whole blocks, in registers where they hold them.
  template <bool past_caches>
  static void turn_whole(const Lanes* x, const std::int32_t* place, std::int64_t k, const Lanes* coarse,
                         const Lanes* fine, Lanes* out) {
    Vector re[lanes];
    Vector im[lanes];
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i) {
      const P factor = get(coarse[(k + i) / fine_factors], 0) * get(fine[(k + i) % fine_factors], 0);
      const P p = get(x[place[k + i]], 0) * factor;
      re[i] = p.re;
      im[i] = p.im;
    }
    Set::transpose(re);
    Set::transpose(im);
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i) {
      if constexpr (past_caches) {
        Set::stream(out[i].re, re[i]);
        Set::stream(out[i].im, im[i]);
      } else {
        put({re[i], im[i]}, out[i], 0);
      }
    }
  }

  static void turn(const Lanes* x, const std::int32_t* place, std::int64_t k, int count, const Lanes* coarse,
                   const Lanes* fine, int width, Lanes* out, bool past_caches) {
    if constexpr (Set::lanes == lanes) {
      if (count == lanes && width == lanes) {
        past_caches ? turn_whole<true>(x, place, k, coarse, fine, out)
                    : turn_whole<false>(x, place, k, coarse, fine, out);
        return;
      }
    }
    static constexpr std::int32_t in_order[lanes] = {0, 1, 2, 3, 4, 5, 6, 7};
    Lanes rows[lanes];
    for (int i = 0; i < count; ++i) {
      const Lanes& a = coarse[(k + i) / fine_factors];
      const Lanes& b = fine[(k + i) % fine_factors];
      for (int part = 0; part < parts; ++part) {
        put(get(x[place[k + i]], part) * (get(a, part) * get(b, part)), rows[i], part);
      }
    }
    Lanes turned[lanes];
    Set::turn(rows, in_order, count, turned);
    for (int lane = 0; lane < width; ++lane) {
      for (int part = 0; part < parts; ++part) {
        const P p = get(turned[lane], part);
        if (past_caches) {
          Set::stream(out[lane].re + part * Set::lanes, p.re);
          Set::stream(out[lane].im + part * Set::lanes, p.im);
        } else {
          put(p, out[lane], part);
        }
      }
    }
  }

  static void apart(const Lanes* x, const std::int32_t* place, std::int64_t n, std::int64_t count, double scale,
                    Lanes* a, Lanes* b) {
    const double half = 0.5 * scale;
    for (std::int64_t k = 0; k < count; ++k) {
      const Lanes& here = x[place[k]];
      const Lanes& there = x[place[k == 0 ? 0 : n - k]];
      for (int part = 0; part < parts; ++part) {
        const P p = get(here, part);
        const P q = get(there, part);
        put(P{p.re + q.re, p.im - q.im} * half, a[k], part);
        put(P{p.im + q.im, q.re - p.re} * half, b[k], part);
      }
    }
  }
};

template <class Set>
constexpr Kernels kernels(const char* name) noexcept {
  using All = Loops<Set>;
  return {name,      All::transform, All::transform_rows, All::transform_columns, All::load, All::store,
          All::turn, Set::turn,      All::apart};
}

}  // namespace
}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
