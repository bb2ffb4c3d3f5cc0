// The kernels over vectors of 2, 4 or 8 lanes (the compilers' vector extension). Included once by each kernels_*.cpp,
// which gives the `Set`: `lanes` and stream(double*, vector), a store past the caches.
// Loops over registers are unrolled by decree: an array that is indexed at run time lives in memory. They are plain
// arrays, because std::array would bring functions that the linker could share with the rest of the program.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

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

// In place: x[p] := sum over q of x[q] exp(-2 pi i p q / radix).
template <int radix>
struct Butterfly;

template <>
struct Butterfly<2> {
  template <class P>
  static void run(P* x) {
    const P sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
};

template <>
struct Butterfly<3> {
  template <class P>
  static void run(P* x) {
    constexpr double sin = 0.86602540378443864676;  // of 2 pi / 3
    const P sum = x[1] + x[2];
    const P middle = x[0] - sum * 0.5;
    const P side = (x[1] - x[2]).turned() * sin;
    x[0] = x[0] + sum;
    x[1] = middle + side;
    x[2] = middle - side;
  }
};

template <>
struct Butterfly<4> {
  template <class P>
  static void run(P* x) {
    const P a = x[0] + x[2];
    const P b = x[0] - x[2];
    const P c = x[1] + x[3];
    const P d = (x[1] - x[3]).turned();
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  }
};

template <>
struct Butterfly<5> {
  template <class P>
  static void run(P* x) {
    constexpr double cos1 = 0.30901699437494742410;  // of 2 pi / 5
    constexpr double cos2 = -0.80901699437494742410;
    constexpr double sin1 = 0.95105651629515357212;
    constexpr double sin2 = 0.58778525229247312917;
    const P sum1 = x[1] + x[4];
    const P sum2 = x[2] + x[3];
    const P difference1 = (x[1] - x[4]).turned();
    const P difference2 = (x[2] - x[3]).turned();
    const P middle1 = x[0] + sum1 * cos1 + sum2 * cos2;
    const P middle2 = x[0] + sum1 * cos2 + sum2 * cos1;
    const P side1 = difference1 * sin1 + difference2 * sin2;
    const P side2 = difference1 * sin2 - difference2 * sin1;
    x[0] = x[0] + sum1 + sum2;
    x[1] = middle1 + side1;
    x[2] = middle2 + side2;
    x[3] = middle2 - side2;
    x[4] = middle1 - side1;
  }
};

template <>
struct Butterfly<8> {
  template <class P>
  static void run(P* x) {
    constexpr double half = 0.70710678118654752440;  // the square root of 1/2
    P even[4] = {x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]};
    const P b = x[1] - x[5];
    const P d = x[3] - x[7];
    P odd[4] = {x[0] - x[4],
                {(b.re + b.im) * half, (b.im - b.re) * half},
                (x[2] - x[6]).turned(),
                {(d.im - d.re) * half, (d.re + d.im) * -half}};
    Butterfly<4>::run(even);
    Butterfly<4>::run(odd);
    x[0] = even[0];
    x[1] = odd[0];
    x[2] = even[1];
    x[3] = odd[1];
    x[4] = even[2];
    x[5] = odd[2];
    x[6] = even[3];
    x[7] = odd[3];
  }
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

  // A block's stages, then those of each of its parts: what is small is done in the nearest caches.
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
      for (std::int64_t row = 0; row < rows; ++row, in += stride) Set::split(in, x[row]);
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
    // Streaming stores want whole vectors, aligned.
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
