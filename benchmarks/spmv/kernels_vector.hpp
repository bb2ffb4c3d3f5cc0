// The loops on a `Vector` of one instruction set: load, load_first (the other lanes are zero), gather, multiply_add,
// sum, store; `Quad`: four lanes; `predicated`: load_first costs no more than load. Included once by each
// kernels_*.cpp, in its own namespace. Tiles are C arrays, because std::array would bring functions that the linker
// could share with the rest. NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

#include "kernels.hpp"

namespace banzuke::spmv {
namespace {

// Prefetch distance in entries: hardware prefetching stops at page boundaries.
constexpr std::int64_t ahead = 512;

using FourLanes __attribute__((vector_size(32), aligned(8), may_alias)) = double;

// Reads columns past a row's end; they are those of the next row and are multiplied by zeros.
template <class Vector>
double part(const CrsArrays& a, std::int64_t begin, std::int64_t end, const double* x) {
  constexpr int lanes = Vector::lanes;
  if (!Vector::predicated && end - begin < lanes) {
    double few = 0.0;
    __builtin_prefetch(a.value + begin + ahead);
    __builtin_prefetch(a.column + begin + ahead);
    for (std::int64_t k = begin; k < end; ++k) few += a.value[k] * x[a.column[k]];
    return few;
  }
  auto sum = Vector::zero();
  std::int64_t k = begin;
  for (; k + lanes <= end; k += lanes) {
    __builtin_prefetch(a.value + k + ahead);
    __builtin_prefetch(a.column + k + ahead);
    sum = Vector::multiply_add(Vector::load(a.value + k), Vector::gather(x, a.column + k), sum);
  }
  if (k < end) {
    const auto rest = Vector::load_first(a.value + k, static_cast<int>(end - k));
    sum = Vector::multiply_add(rest, Vector::gather(x, a.column + k), sum);
  }
  return Vector::sum(sum);
}

template <class Vector>
void rows(const CrsArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y) {
  for (std::int64_t row = begin; row < end; ++row) y[row] = part<Vector>(a, a.start[row], a.start[row + 1], x);
}

// `once`: loaded data are not reused before they are evicted. `Index`: of columns, or of their offsets.
template <class Vector, bool once, class Index>
void chunks(const SellArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y) {
  constexpr int lanes = Vector::lanes;
  constexpr int width = chunk / lanes;
  constexpr bool near = sizeof(Index) < sizeof(std::int32_t);
  // Copies: stores to y cannot alias them.
  const auto [start, columns, value, row, sigma, offset, base] = a;
  const Index* column = nullptr;
  if constexpr (near) {
    column = offset;
  } else {
    column = columns;
  }
  for (std::int64_t i = begin; i < end; ++i) {
    typename Vector::Register sum[width];
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) sum[v] = Vector::zero();
    const double* from = near ? x + base[i] : x;
    for (std::int64_t k = start[i]; k < start[i + 1]; k += chunk) {
      __builtin_prefetch(value + k + ahead, 0, once ? 0 : 3);
      __builtin_prefetch(column + k + ahead, 0, once ? 0 : 3);
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v) {
        sum[v] = Vector::multiply_add(Vector::load(value + k + v * lanes), Vector::gather(from, column + k + v * lanes),
                                      sum[v]);
      }
    }
    if (row == nullptr) {
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v) Vector::store(y + chunk * i + v * lanes, sum[v]);
      continue;
    }
    double lane[chunk];
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) Vector::store(lane + v * lanes, sum[v]);
    double* window = y + (chunk * i & -sigma);
#pragma GCC unroll 8
    for (int l = 0; l < chunk; ++l) window[row[chunk * i + l]] = lane[l];
  }
}

template <class Vector>
void copy_out(double* to, const double* from, std::int64_t count) {
  std::int64_t i = 0;
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(typename Vector::Register) == 0) {
    for (; i + Vector::lanes <= count; i += Vector::lanes) Vector::stream(to + i, Vector::load(from + i));
  }
  for (; i < count; ++i) to[i] = from[i];
}

// A column of up to four values is in a quad; excess elements are never stored.
template <class Vector, int height, int width>
void blocks(const BcsrArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y) {
  using Quad = typename Vector::Quad;
  for (std::int64_t i = begin; i < end; ++i) {
    Quad sum{};
    for (std::int64_t b = a.start[i]; b < a.start[i + 1]; ++b) {
      const double* value = a.value + b * height * width;
      const double* from = x + a.column[b];
#pragma GCC unroll 2
      for (int j = 0; j < height * width; j += 8) __builtin_prefetch(value + ahead + j);
      __builtin_prefetch(a.column + b + ahead / 8);
#pragma GCC unroll 8
      for (int j = 0; j < width; ++j) sum += *reinterpret_cast<const Quad*>(value + j * height) * from[j];
    }
#pragma GCC unroll 4
    for (int r = 0; r < height; ++r) y[height * i + r] = sum[r];
  }
}

// Both columns in one quad.
template <class Vector>
void blocks_of_two(const BcsrArrays& a, std::int64_t begin, std::int64_t end, const double* x, double* y) {
  using Quad = typename Vector::Quad;
  for (std::int64_t i = begin; i < end; ++i) {
    Quad sum{};
    for (std::int64_t b = a.start[i]; b < a.start[i + 1]; ++b) {
      const double* from = x + a.column[b];
      __builtin_prefetch(a.value + 4 * b + ahead);
      __builtin_prefetch(a.column + b + ahead / 4);
      sum += *reinterpret_cast<const Quad*>(a.value + 4 * b) * Quad{from[0], from[0], from[1], from[1]};
    }
    y[2 * i] = sum[0] + sum[2];
    y[2 * i + 1] = sum[1] + sum[3];
  }
}

template <class Vector>
constexpr Kernels vector_kernels() noexcept {
  return {Vector::name,
          rows<Vector>,
          part<Vector>,
          chunks<Vector, false, std::int32_t>,
          chunks<Vector, true, std::int32_t>,
          chunks<Vector, true, std::uint16_t>,
          copy_out<Vector>,
          Vector::fence,
          {blocks_of_two<Vector>, blocks<Vector, 3, 3>, blocks<Vector, 4, 4>}};
}

}  // namespace
}  // namespace banzuke::spmv

// NOLINTEND(modernize-avoid-c-arrays)
