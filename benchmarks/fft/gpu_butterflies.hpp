// Transforms of a few numbers in a thread's registers: x[p] := sum over q of x[q] exp(-2 pi i p q / radix).
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include "core/gpu/kernel.hpp"

namespace banzuke::fft {

// Aligned, so that one instruction loads both parts.
struct alignas(16) Number {
  double re;
  double im;

  BANZUKE_GPU friend Number operator+(Number a, Number b) { return {a.re + b.re, a.im + b.im}; }
  BANZUKE_GPU friend Number operator-(Number a, Number b) { return {a.re - b.re, a.im - b.im}; }
  BANZUKE_GPU friend Number operator*(Number a, double b) { return {a.re * b, a.im * b}; }
  BANZUKE_GPU friend Number operator*(Number a, Number b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  // Times -i.
  BANZUKE_GPU Number turned() const { return {im, -re}; }
};

template <int radix>
struct Butterfly;

template <>
struct Butterfly<2> {
  BANZUKE_GPU static void run(Number* x) {
    const Number sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
};

template <>
struct Butterfly<3> {
  BANZUKE_GPU static void run(Number* x) {
    constexpr double sin = 0.86602540378443864676;  // of 2 pi / 3
    const Number sum = x[1] + x[2];
    const Number middle = x[0] - sum * 0.5;
    const Number side = (x[1] - x[2]).turned() * sin;
    x[0] = x[0] + sum;
    x[1] = middle + side;
    x[2] = middle - side;
  }
};

template <>
struct Butterfly<4> {
  BANZUKE_GPU static void run(Number* x) {
    const Number a = x[0] + x[2];
    const Number b = x[0] - x[2];
    const Number c = x[1] + x[3];
    const Number d = (x[1] - x[3]).turned();
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  }
};

template <>
struct Butterfly<5> {
  BANZUKE_GPU static void run(Number* x) {
    constexpr double cos1 = 0.30901699437494742410;  // of 2 pi / 5
    constexpr double cos2 = -0.80901699437494742410;
    constexpr double sin1 = 0.95105651629515357212;
    constexpr double sin2 = 0.58778525229247312917;
    const Number sum1 = x[1] + x[4];
    const Number sum2 = x[2] + x[3];
    const Number difference1 = (x[1] - x[4]).turned();
    const Number difference2 = (x[2] - x[3]).turned();
    const Number middle1 = x[0] + sum1 * cos1 + sum2 * cos2;
    const Number middle2 = x[0] + sum1 * cos2 + sum2 * cos1;
    const Number side1 = difference1 * sin1 + difference2 * sin2;
    const Number side2 = difference1 * sin2 - difference2 * sin1;
    x[0] = x[0] + sum1 + sum2;
    x[1] = middle1 + side1;
    x[2] = middle2 + side2;
    x[3] = middle2 - side2;
    x[4] = middle1 - side1;
  }
};

template <>
struct Butterfly<6> {
  BANZUKE_GPU static void run(Number* x) {
    // With 2 and 3 that share no factor there is none between them.
    Number even[3] = {x[0] + x[3], x[2] + x[5], x[4] + x[1]};
    Number odd[3] = {x[0] - x[3], x[2] - x[5], x[4] - x[1]};
    Butterfly<3>::run(even);
    Butterfly<3>::run(odd);
    x[0] = even[0];
    x[1] = odd[1];
    x[2] = even[2];
    x[3] = odd[0];
    x[4] = even[1];
    x[5] = odd[2];
  }
};

template <>
struct Butterfly<8> {
  BANZUKE_GPU static void run(Number* x) {
    constexpr double half = 0.70710678118654752440;  // the square root of 1/2
    Number even[4] = {x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]};
    const Number b = x[1] - x[5];
    const Number d = x[3] - x[7];
    Number odd[4] = {x[0] - x[4],
                     {(b.re + b.im) * half, (b.im - b.re) * half},
                     (x[2] - x[6]).turned(),
                     {(d.im - d.re) * half, (d.re + d.im) * -half}};
    Butterfly<4>::run(even);
    Butterfly<4>::run(odd);
    BANZUKE_UNROLL
    for (int p = 0; p < 4; ++p) {
      x[2 * p] = even[p];
      x[2 * p + 1] = odd[p];
    }
  }
};

template <>
struct Butterfly<16> {
  BANZUKE_GPU static void run(Number* x) {
    constexpr double half = 0.70710678118654752440;
    constexpr double cos = 0.92387953251128675613;  // of pi / 8
    constexpr double sin = 0.38268343236508977173;
    Number y[16];
    BANZUKE_UNROLL
    for (int i = 0; i < 4; ++i) {
      Number four[4] = {x[i], x[i + 4], x[i + 8], x[i + 12]};
      Butterfly<4>::run(four);
      BANZUKE_UNROLL
      for (int q = 0; q < 4; ++q) y[4 * q + i] = four[q];
    }
    // y[4 q + i] times exp(-2 pi i q i / 16).
    y[5] = y[5] * Number{cos, -sin};
    y[6] = Number{y[6].re + y[6].im, y[6].im - y[6].re} * half;
    y[7] = y[7] * Number{sin, -cos};
    y[9] = Number{y[9].re + y[9].im, y[9].im - y[9].re} * half;
    y[10] = y[10].turned();
    y[11] = Number{y[11].im - y[11].re, -y[11].re - y[11].im} * half;
    y[13] = y[13] * Number{sin, -cos};
    y[14] = Number{y[14].im - y[14].re, -y[14].re - y[14].im} * half;
    y[15] = y[15] * Number{-cos, sin};
    BANZUKE_UNROLL
    for (int q = 0; q < 4; ++q) {
      Butterfly<4>::run(y + 4 * q);
      BANZUKE_UNROLL
      for (int p = 0; p < 4; ++p) x[q + 4 * p] = y[4 * q + p];
    }
  }
};

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
