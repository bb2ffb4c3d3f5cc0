// The kernels on vectors of `lanes` doubles (the compilers' vector extension). Included once by each kernels_*.cpp.
// Loops over register tiles are unrolled explicitly, because a tile that is indexed at run time lives in memory. The
// tiles are C arrays, because std::array would bring functions that the linker could share with the rest of the
// program.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

#include "kernels.hpp"

namespace banzuke::hpl {
namespace {

template <int lanes>
struct Types {
  using Real __attribute__((vector_size(8 * lanes), aligned(8), may_alias)) = double;
  using Whole __attribute__((vector_size(8 * lanes))) = std::int64_t;
};
template <>
struct Types<1> {
  using Real = double;
  using Whole = std::int64_t;
};

template <int lanes>
using Real = typename Types<lanes>::Real;

template <int lanes>
Real<lanes> load(const double* from) {
  return *reinterpret_cast<const Real<lanes>*>(from);
}

template <int lanes>
void store(double* to, Real<lanes> value) {
  *reinterpret_cast<Real<lanes>*>(to) = value;
}

template <int lanes>
struct Best {
  Real<lanes> magnitude = Real<lanes>{} - 1.0;
  typename Types<lanes>::Whole row{};
};

// `count` vectors of rows from `row` on.
template <int lanes, int count>
void advance_rows(double* a, std::int64_t ld, std::int64_t row, int l, const double* u, double inverse,
                  Best<lanes>& best) {
  double* to = a + l * ld + row;
  Real<lanes> x[count];
#pragma GCC unroll 8
  for (int v = 0; v < count; ++v) x[v] = load<lanes>(to + v * lanes);
  for (int i = 0; i + 1 < l; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) x[v] -= load<lanes>(a + i * ld + row + v * lanes) * u[i];
  }
  if (l > 0) {
    double* last = a + (l - 1) * ld + row;
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      const Real<lanes> multiplier = load<lanes>(last + v * lanes) * inverse;
      store<lanes>(last + v * lanes, multiplier);
      x[v] -= multiplier * u[l - 1];
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < count; ++v) {
    store<lanes>(to + v * lanes, x[v]);
    const Real<lanes> magnitude = x[v] < 0.0 ? -x[v] : x[v];
    const auto better = magnitude > best.magnitude;
    best.magnitude = better ? magnitude : best.magnitude;
    best.row = better ? typename Types<lanes>::Whole{} + (row + v * lanes) : best.row;
  }
}

void consider(Candidate& best, double magnitude, std::int64_t row) {
  if (magnitude > best.magnitude || (magnitude == best.magnitude && row < best.row)) best = {magnitude, row};
}

template <int lanes>
Candidate advance(double* a, std::int64_t ld, std::int64_t begin, std::int64_t end, int l, const double* u,
                  double inverse) {
  constexpr int count = 4;  // independent chains, enough to hide the latency of an FMA
  Best<lanes> many;
  Best<1> few;
  std::int64_t row = begin;
  for (; row + count * lanes <= end; row += count * lanes) advance_rows<lanes, count>(a, ld, row, l, u, inverse, many);
  for (; row < end; ++row) advance_rows<1, 1>(a, ld, row, l, u, inverse, few);
  Candidate best{few.magnitude, few.row};
  for (int i = 0; i < lanes; ++i) consider(best, many.magnitude[i], many.row[i] + i);
  return best;
}

// A register tile of C: `height` vectors of rows by `width` columns.
template <int lanes, int height, int width>
void subtract_tile(double* c, const double* a, std::int64_t ld, int k, const double* u, std::int64_t ldu) {
  Real<lanes> sums[width][height];
#pragma GCC unroll 8
  for (int j = 0; j < width; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < height; ++v) sums[j][v] = load<lanes>(c + j * ld + v * lanes);
  }
  for (int l = 0; l < k; ++l) {
    Real<lanes> column[height];
#pragma GCC unroll 8
    for (int v = 0; v < height; ++v) column[v] = load<lanes>(a + l * ld + v * lanes);
#pragma GCC unroll 8
    for (int j = 0; j < width; ++j) {
#pragma GCC unroll 8
      for (int v = 0; v < height; ++v) sums[j][v] -= column[v] * u[l * ldu + j];
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < width; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < height; ++v) store<lanes>(c + j * ld + v * lanes, sums[j][v]);
  }
}

template <int lanes, int height, int width>
void subtract_rows(double* c, const double* a, std::int64_t ld, int n, int k, const double* u, std::int64_t ldu) {
  int j = 0;
  for (; j + width <= n; j += width) subtract_tile<lanes, height, width>(c + j * ld, a, ld, k, u + j, ldu);
  for (; j < n; ++j) subtract_tile<lanes, height, 1>(c + j * ld, a, ld, k, u + j, ldu);
}

template <int lanes, int height, int width>
void subtract_product(double* c, const double* a, std::int64_t ld, std::int64_t begin, std::int64_t end, int n, int k,
                      const double* u, std::int64_t ldu) {
  std::int64_t row = begin;
  for (; row + height * lanes <= end; row += height * lanes) {
    subtract_rows<lanes, height, width>(c + row, a + row, ld, n, k, u, ldu);
  }
  for (; row + lanes <= end; row += lanes) subtract_rows<lanes, 1, width>(c + row, a + row, ld, n, k, u, ldu);
  for (; row < end; ++row) subtract_rows<1, 1, width>(c + row, a + row, ld, n, k, u, ldu);
}

template <int lanes, int count>
void solve_columns(double* b, const double* l, std::int64_t ld, int k) {
  for (int i = 1; i < k; ++i) {
    Real<lanes> x[count];
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) x[v] = load<lanes>(b + i * ld + v * lanes);
    for (int m = 0; m < i; ++m) {
#pragma GCC unroll 8
      for (int v = 0; v < count; ++v) x[v] -= load<lanes>(b + m * ld + v * lanes) * l[i * ld + m];
    }
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) store<lanes>(b + i * ld + v * lanes, x[v]);
  }
}

template <int lanes>
void solve(double* b, const double* l, std::int64_t ld, int k, int n) {
  int j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) solve_columns<lanes, 4>(b + j, l, ld, k);
  for (; j + lanes <= n; j += lanes) solve_columns<lanes, 1>(b + j, l, ld, k);
  for (; j < n; ++j) solve_columns<1, 1>(b + j, l, ld, k);
}

}  // namespace
}  // namespace banzuke::hpl

// NOLINTEND(modernize-avoid-c-arrays)
