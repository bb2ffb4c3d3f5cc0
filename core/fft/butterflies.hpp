// Transforms of a few numbers in registers, in place: x[p] := sum over q of x[q] exp(-2 pi i p q / radix). `P` is a
// complex number of a device thread, or one in each lane of a vector; it has re, im, +, -, * and turned(), which
// multiplies by -i.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include "core/gpu/annotations.hpp"

namespace banzuke::fft {

template <int radix>
struct Butterfly;

template <>
struct Butterfly<2> {
  template <class P>
  BANZUKE_GPU static void run(P* x) {
    const P sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
};

template <>
struct Butterfly<3> {
  template <class P>
  BANZUKE_GPU static void run(P* x) {
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
  BANZUKE_GPU static void run(P* x) {
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
  BANZUKE_GPU static void run(P* x) {
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
  BANZUKE_GPU static void run(P* x) {
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

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
