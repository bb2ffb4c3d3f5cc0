// The kernels on vectors of 2, 4 or 8 lanes (the compilers' vector extension). Included once by each kernels_*.cpp,
// which provides `Set`: `lanes` and stream(double*, vector), a non-temporal store.
// Loops over registers are unrolled explicitly, because an array that is indexed at run time lives in memory. The
// arrays are C arrays, because std::array would bring functions that the linker could share with the rest of the
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

  template <int radix>
  static void stage(const Stage& stage, Lanes* x) {
    const std::int64_t distance = stage.distance;
    const Complex* factor = stage.factors;
    for (std::int64_t j = 0; j < distance; ++j, factor += radix - 1) {
      for (int part = 0; part < parts; ++part) {
        P p[radix];
#pragma GCC unroll 8
        for (int q = 0; q < radix; ++q) p[q] = get(x[j + q * distance], part);
        Butterfly<radix>::run(p);
        put(p[0], x[j], part);
#pragma GCC unroll 8
        for (int q = 1; q < radix; ++q) put(distance > 1 ? p[q] * factor[q - 1] : p[q], x[j + q * distance], part);
      }
    }
  }

  // Recursive: a block's first stage, then the remaining stages of each of its parts, so that small parts stay in the
  // nearest caches.
  static void transform(const Stage* stages, int count, Lanes* x) {
    if (count == 0) return;
    switch (stages->radix) {
      case 2:
        stage<2>(*stages, x);
        break;
      case 3:
        stage<3>(*stages, x);
        break;
      case 4:
        stage<4>(*stages, x);
        break;
      case 5:
        stage<5>(*stages, x);
        break;
      default:
        stage<8>(*stages, x);
        break;
    }
    for (int part = 0; part < stages->radix && count > 1; ++part) {
      transform(stages + 1, count - 1, x + part * stages->distance);
    }
  }

  static void load(const Complex* in, std::int64_t stride, std::int64_t rows, int width, Lanes* x) {
    if (width == lanes) {
      // Into the second cache, because the first one has too few lines in flight to hide the memory's latency. Not all
      // rows: a power of two as the stride maps them to few sets.
      constexpr std::int64_t ahead = 32;
      for (std::int64_t row = 0; row < rows; ++row, in += stride) {
        __builtin_prefetch(in + ahead * stride, 0, 2);
        __builtin_prefetch(in + ahead * stride + lanes / 2, 0, 2);
        Set::split(in, x[row]);
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

  static void turn(const Lanes* x, const std::int32_t* place, std::int64_t k, int count, const Lanes* coarse,
                   const Lanes* fine, int width, Lanes* out, bool past_caches) {
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
  return {name,      Loops<Set>::transform, Loops<Set>::load, Loops<Set>::store, Loops<Set>::turn,
          Set::turn, Loops<Set>::apart};
}

}  // namespace
}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
