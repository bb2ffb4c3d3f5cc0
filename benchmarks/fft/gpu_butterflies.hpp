// A device thread's numbers, and butterflies that the processors do not use.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include "core/fft/butterflies.hpp"
#include "core/gpu/annotations.hpp"

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

template <>
struct Butterfly<6> {
  BANZUKE_GPU static void run(Number* x) {
    // 2 and 3 are coprime, so there are no twiddle factors between them.
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
