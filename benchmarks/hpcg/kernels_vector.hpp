// The kernels on the eight rows of a chunk (the compilers' vector extension). Included once by each kernels_*.cpp.
#pragma once

#include <cstdint>

#include "kernels.hpp"

namespace banzuke::hpcg {
namespace {

// These functions are inlined and never called across files, so how vectors are passed does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

// Eight numbers, in registers of `width`. GCC keeps a vector that is wider than the instruction set's registers in
// memory, and stores it in pieces that the next load has to wait for. Loops over registers are unrolled explicitly,
// because an array that is indexed at run time lives in memory, too; std::array would bring functions that the linker
// could share with the rest of the program.
template <int width>
struct Eight {
  static constexpr int registers = 8 / width;
  using Register __attribute__((vector_size(8 * width), aligned(8), may_alias)) = double;
  using Lanes __attribute__((vector_size(8 * width))) = std::int64_t;
  Register part[registers];  // NOLINT(modernize-avoid-c-arrays)
};

// Calls `part(i)` for each register, and returns the results.
template <int width, class Part>
[[gnu::always_inline]] inline Eight<width> by_register(const Part& part) {
  Eight<width> out;
#pragma GCC unroll 8
  for (int i = 0; i < Eight<width>::registers; ++i) out.part[i] = part(i);
  return out;
}

template <int width>
[[gnu::always_inline]] inline Eight<width> operator+(const Eight<width>& a, const Eight<width>& b) {
  return by_register<width>([&](int i) { return a.part[i] + b.part[i]; });
}
template <int width>
[[gnu::always_inline]] inline Eight<width> operator-(const Eight<width>& a, const Eight<width>& b) {
  return by_register<width>([&](int i) { return a.part[i] - b.part[i]; });
}
template <int width>
[[gnu::always_inline]] inline Eight<width> operator*(const Eight<width>& a, const Eight<width>& b) {
  return by_register<width>([&](int i) { return a.part[i] * b.part[i]; });
}
template <int width>
[[gnu::always_inline]] inline Eight<width> operator*(double a, const Eight<width>& b) {
  return by_register<width>([&](int i) { return a * b.part[i]; });
}
template <int width>
[[gnu::always_inline]] inline Eight<width> operator/(const Eight<width>& a, const Eight<width>& b) {
  return by_register<width>([&](int i) { return a.part[i] / b.part[i]; });
}

// Lanes below `split` of `head`, and the others of `tail`.
template <int width>
[[gnu::always_inline]] inline Eight<width> join(const Eight<width>& head, const Eight<width>& tail,
                                                std::int64_t split) {
  return by_register<width>([&](int i) {
    typename Eight<width>::Lanes lane;
#pragma GCC unroll 8
    for (int k = 0; k < width; ++k) lane[k] = width * i + k;
    return lane < split ? head.part[i] : tail.part[i];
  });
}

enum class Direction { up, down };

using Four __attribute__((may_alias)) = std::uint64_t;  // offsets

// Numbers of x at eight offsets. On Zen 3 and 5, eight loads and combining them are faster than the gather instruction,
// and loading four offsets at once is faster than four loads.
template <int width>
struct ByLoads {
  static constexpr int lanes = width;

  [[gnu::always_inline]] static Eight<width> gather(const double* x, const std::uint16_t* offset) {
    using Register = typename Eight<width>::Register;
    const std::uint64_t four[2] = {reinterpret_cast<const Four*>(offset)[0], reinterpret_cast<const Four*>(offset)[1]};
    const auto at = [&](int lane) { return x[four[lane / 4] >> 16U * (lane % 4) & 0xFFFFU]; };
    return by_register<width>([&](int i) {
      if constexpr (width == 8) {
        return Register{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
      } else if constexpr (width == 4) {
        return Register{at(4 * i), at(4 * i + 1), at(4 * i + 2), at(4 * i + 3)};
      } else {
        return Register{at(2 * i), at(2 * i + 1)};
      }
    });
  }
};

// `Set`: lanes, and how to gather.
template <class Set>
struct Loops {
  static constexpr int width = Set::lanes;
  using Rows = Eight<width>;
  using Register = typename Rows::Register;

  [[gnu::always_inline]] static Rows load(const double* from) {
    return by_register<width>([&](int i) { return *reinterpret_cast<const Register*>(from + width * i); });
  }

  [[gnu::always_inline]] static void store(double* to, const Rows& rows) {
#pragma GCC unroll 8
    for (int i = 0; i < Rows::registers; ++i) *reinterpret_cast<Register*>(to + width * i) = rows.part[i];
  }

  [[gnu::always_inline]] static void fetch(const double* line) { __builtin_prefetch(line, 0, 2); }

  // Adds value times x of slots to two sums in turn, which hides the latency of FMAs; slots are in the direction of the
  // chunks, so that the matrix is read as one ascending or descending stream. Prefetches by software, because hardware
  // prefetching is too late; into the L2 cache, because the first one has too few lines in flight.
  template <Direction direction, class Gather>
  [[gnu::always_inline]] static Rows sum_of_slots(const double* value, std::int64_t slots, const Gather& gathered) {
    constexpr std::int64_t ahead = 128;  // slots; the best of 32 to 128
    constexpr std::int64_t step = direction == Direction::up ? 1 : -1;
    Rows even{};
    Rows odd{};
    std::int64_t i = direction == Direction::up ? 0 : slots - 1;
    std::int64_t left = slots;
    for (; left > 1; left -= 2) {
      const std::int64_t next = i + step;
      fetch(value + 8 * (i + ahead * step));
      fetch(value + 8 * (next + ahead * step));
      even = even + load(value + 8 * i) * gathered(i);
      odd = odd + load(value + 8 * next) * gathered(next);
      i = next + step;
    }
    if (left > 0) {
      fetch(value + 8 * (i + ahead * step));
      even = even + load(value + 8 * i) * gathered(i);
    }
    return even + odd;
  }

  // Returns the sum over the chunk's entries of value times x.
  template <Direction direction>
  [[gnu::always_inline]] static Rows row_sums(const Entries& a, std::int64_t chunk, const double* x) {
    const Chunk here = a.chunk[chunk];
    const std::int64_t slots = a.chunk[chunk + 1].slot - here.slot;
    const double* value = a.value + 8 * std::int64_t{here.slot};
    const std::int32_t* base = a.base + here.slot;
    if (here.split == 8) {
      return sum_of_slots<direction>(value, slots, [&](std::int64_t i) { return load(x + base[i]); });
    }
    if (here.split > 0) {
      const std::int32_t* second = a.second + here.more;
      return sum_of_slots<direction>(
          value, slots, [&](std::int64_t i) { return join(load(x + base[i]), load(x + second[i]), here.split); });
    }
    const std::uint16_t* offset = a.offset + 8 * std::int64_t{here.more};
    return sum_of_slots<direction>(value, slots,
                                   [&](std::int64_t i) { return Set::gather(x + base[i], offset + 8 * i); });
  }

  [[gnu::always_inline]] static Rows row_sums(const Entries& a, std::int64_t chunk, const double* x) {
    return row_sums<Direction::up>(a, chunk, x);
  }

  static void forward_from_zero(std::int64_t from, std::int64_t to, const Entries& l, const double* d, const double* r,
                                double* x) {
    for (std::int64_t c = from; c < to; ++c) {
      store(x + 8 * c, (load(r + 8 * c) - row_sums(l, c, x)) / load(d + 8 * c));
    }
  }

  static void backward_from_zero(std::int64_t from, std::int64_t to, const Entries& u, const double* d, double* later,
                                 double* x) {
    for (std::int64_t c = to - 1; c >= from; --c) {
      const Rows sums = row_sums<Direction::down>(u, c, x);
      store(later + 8 * c, sums);
      store(x + 8 * c, load(x + 8 * c) - sums / load(d + 8 * c));
    }
  }

  static void forward(std::int64_t from, std::int64_t to, const Entries& l, const Entries& corrected,
                      const Outside& outside, const Sweep& sweep, double* x) {
    for (std::int64_t c = from; c < to; ++c) {
      Rows known = load(sweep.r + 8 * c) - row_sums(l, c, x);
      if (outside.slot[c] >= 0) known = known - load(outside.sums + 8 * outside.slot[c]);
      store(sweep.known + 8 * c, known);
      const Rows later = load(sweep.later + 8 * c) + row_sums(corrected, c, sweep.correction);
      store(x + 8 * c, (known - later) / load(sweep.d + 8 * c));
    }
  }

  static void backward(std::int64_t from, std::int64_t to, const Entries& u, const double* d, const double* known,
                       double* x) {
    for (std::int64_t c = to - 1; c >= from; --c) {
      store(x + 8 * c, (load(known + 8 * c) - row_sums<Direction::down>(u, c, x)) / load(d + 8 * c));
    }
  }

  static void multiply(std::int64_t from, std::int64_t to, const Entries& l, const Entries& u, const double* d,
                       const double* x, double* y) {
    for (std::int64_t c = from; c < to; ++c) {
      store(y + 8 * c, load(d + 8 * c) * load(x + 8 * c) + row_sums(l, c, x) + row_sums(u, c, x));
    }
  }

  static void sum(std::int64_t from, std::int64_t to, const Entries& a, const double* x, double* y) {
    for (std::int64_t c = from; c < to; ++c) store(y + 8 * c, row_sums(a, c, x));
  }

  static double dot(std::int64_t from, std::int64_t to, const double* x, const double* y) {
    Rows even{};
    Rows odd{};
    std::int64_t i = from;
    for (; i + 16 <= to; i += 16) {
      even = even + load(x + i) * load(y + i);
      odd = odd + load(x + i + 8) * load(y + i + 8);
    }
    if (i < to) even = even + load(x + i) * load(y + i);
    even = even + odd;
    double total = 0.0;
    for (int lane = 0; lane < 8; ++lane) total += even.part[lane / width][lane % width];
    return total;
  }

  static void scale_add(std::int64_t from, std::int64_t to, double beta, const double* x, double* y) {
    for (std::int64_t i = from; i < to; i += 8) store(y + i, load(x + i) + beta * load(y + i));
  }

  static void step(std::int64_t from, std::int64_t to, double alpha, const double* p, const double* q, double* x,
                   double* r) {
    for (std::int64_t i = from; i < to; i += 8) {
      store(x + i, load(x + i) + alpha * load(p + i));
      store(r + i, load(r + i) - alpha * load(q + i));
    }
  }

  static constexpr Kernels kernels(const char* name) noexcept {
    return {name, forward_from_zero, backward_from_zero, forward, backward, multiply, sum, dot, scale_add, step};
  }
};

}  // namespace
}  // namespace banzuke::hpcg
