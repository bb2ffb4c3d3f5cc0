// The kernels on the eight rows of a chunk (the compilers' vector extension, which splits them to the width of the
// instruction set). Included once by each kernels_*.cpp.
#pragma once

#include <cstdint>

#include "kernels.hpp"

namespace banzuke::hpcg {
namespace {

// These functions are inlined and never called across files, so how vectors are passed does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

using Eight __attribute__((vector_size(64), aligned(8), may_alias)) = double;

inline Eight load(const double* from) { return *reinterpret_cast<const Eight*>(from); }
inline void store(double* to, Eight value) { *reinterpret_cast<Eight*>(to) = value; }

using Four __attribute__((may_alias)) = std::uint64_t;

// On Zen 5, eight loads and combining them are faster than the gather instruction, and loading four offsets at once is
// faster than four loads.
inline Eight gather(const double* x, const std::uint16_t* offset) {
  const std::uint64_t a = reinterpret_cast<const Four*>(offset)[0];
  const std::uint64_t b = reinterpret_cast<const Four*>(offset)[1];
  constexpr std::uint64_t low = 0xFFFF;
  return Eight{x[a & low], x[a >> 16U & low], x[a >> 32U & low], x[a >> 48U],
               x[b & low], x[b >> 16U & low], x[b >> 32U & low], x[b >> 48U]};
}

enum class Direction { up, down };

// Returns the sum over the chunk's entries of value times x, in the direction of the chunks, so that the matrix is read
// as one ascending or descending stream. Two chains of sums hide the latency of FMAs. Prefetches by software, because
// hardware prefetching is too late.
template <Direction direction>
[[gnu::always_inline]] inline Eight row_sums(const Entries& a, std::int64_t chunk, const double* x) {
  constexpr std::int64_t ahead = 64;  // slots; the best of 8 to 256
  constexpr std::int64_t step = direction == Direction::up ? 1 : -1;
  const std::int64_t begin = a.begin[chunk];
  const std::int64_t end = a.begin[chunk + 1];
  std::int64_t slot = direction == Direction::up ? begin : end - 1;
  Eight even{};
  Eight odd{};
  std::int64_t left = end - begin;
  for (; left > 1; left -= 2) {
    const std::int64_t next = slot + step;
    __builtin_prefetch(a.value + 8 * (slot + ahead * step));
    __builtin_prefetch(a.value + 8 * (next + ahead * step));
    __builtin_prefetch(a.offset + 8 * (slot + ahead * step));
    even += load(a.value + 8 * slot) * gather(x + a.base[slot], a.offset + 8 * slot);
    odd += load(a.value + 8 * next) * gather(x + a.base[next], a.offset + 8 * next);
    slot = next + step;
  }
  if (left > 0) even += load(a.value + 8 * slot) * gather(x + a.base[slot], a.offset + 8 * slot);
  return even + odd;
}

inline Eight row_sums(const Entries& a, std::int64_t chunk, const double* x) {
  return row_sums<Direction::up>(a, chunk, x);
}

void forward_from_zero(std::int64_t from, std::int64_t to, const Entries& l, const double* d, const double* r,
                       double* x) {
  for (std::int64_t c = from; c < to; ++c) {
    store(x + 8 * c, (load(r + 8 * c) - row_sums(l, c, x)) / load(d + 8 * c));
  }
}

void backward_from_zero(std::int64_t from, std::int64_t to, const Entries& u, const double* d, double* later,
                        double* x) {
  for (std::int64_t c = to - 1; c >= from; --c) {
    const Eight sums = row_sums<Direction::down>(u, c, x);
    store(later + 8 * c, sums);
    store(x + 8 * c, load(x + 8 * c) - sums / load(d + 8 * c));
  }
}

void forward(std::int64_t from, std::int64_t to, const Entries& l, const Entries& corrected, const Outside& outside,
             const Sweep& sweep, double* x) {
  for (std::int64_t c = from; c < to; ++c) {
    Eight known = load(sweep.r + 8 * c) - row_sums(l, c, x);
    if (outside.slot[c] >= 0) known -= load(outside.sums + 8 * outside.slot[c]);
    store(sweep.known + 8 * c, known);
    const Eight later = load(sweep.later + 8 * c) + row_sums(corrected, c, sweep.correction);
    store(x + 8 * c, (known - later) / load(sweep.d + 8 * c));
  }
}

void backward(std::int64_t from, std::int64_t to, const Entries& u, const double* d, const double* known, double* x) {
  for (std::int64_t c = to - 1; c >= from; --c) {
    store(x + 8 * c, (load(known + 8 * c) - row_sums<Direction::down>(u, c, x)) / load(d + 8 * c));
  }
}

void multiply(std::int64_t from, std::int64_t to, const Entries& l, const Entries& u, const double* d, const double* x,
              double* y) {
  for (std::int64_t c = from; c < to; ++c) {
    store(y + 8 * c, load(d + 8 * c) * load(x + 8 * c) + row_sums(l, c, x) + row_sums(u, c, x));
  }
}

void sum(std::int64_t from, std::int64_t to, const Entries& a, const double* x, double* y) {
  for (std::int64_t c = from; c < to; ++c) store(y + 8 * c, row_sums(a, c, x));
}

double dot(std::int64_t from, std::int64_t to, const double* x, const double* y) {
  Eight even{};
  Eight odd{};
  std::int64_t i = from;
  for (; i + 16 <= to; i += 16) {
    even += load(x + i) * load(y + i);
    odd += load(x + i + 8) * load(y + i + 8);
  }
  if (i < to) even += load(x + i) * load(y + i);
  even += odd;
  double total = 0.0;
  for (int lane = 0; lane < 8; ++lane) total += even[lane];
  return total;
}

void scale_add(std::int64_t from, std::int64_t to, double beta, const double* x, double* y) {
  for (std::int64_t i = from; i < to; i += 8) store(y + i, load(x + i) + beta * load(y + i));
}

void step(std::int64_t from, std::int64_t to, double alpha, const double* p, const double* q, double* x, double* r) {
  for (std::int64_t i = from; i < to; i += 8) {
    store(x + i, load(x + i) + alpha * load(p + i));
    store(r + i, load(r + i) - alpha * load(q + i));
  }
}

constexpr Kernels kernels_of(const char* name) noexcept {
  return {name, forward_from_zero, backward_from_zero, forward, backward, multiply, sum, dot, scale_add, step};
}

}  // namespace
}  // namespace banzuke::hpcg
