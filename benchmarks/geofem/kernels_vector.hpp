// The kernels on chunks of `width` rows and vectors of at most as many lanes (the compilers' vector extension).
// Included once by each kernels_*.cpp, which provides `Set`: `lanes` and
//   gather(x, place, out): out[c][lane] = x[place[lane] + c] for c = 0, 1, 2; may read x[place[lane] + 3]
//   and, where the instruction set has them, read(x, out), for the places 0, 3, 6, ..., and write(x, in), its reverse.
// Loops over registers are unrolled explicitly, because an array that is indexed at run time lives in memory. The
// arrays are C arrays, because std::array would bring functions that the linker could share with the rest of the
// program.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

#include "kernels.hpp"

namespace banzuke::geofem {
namespace {

template <int lanes>
struct Types {
  using Real __attribute__((vector_size(8 * lanes), aligned(8), may_alias)) = double;
};

template <>
struct Types<1> {
  using Real = double;
};

template <int lanes>
using Real = typename Types<lanes>::Real;

// One number at a time, for plain rows.
struct Scalar {
  static constexpr int lanes = 1;
  static void gather(const double* x, const std::int32_t* place, Real<1>* out) {
    for (int c = 0; c < 3; ++c) out[c] = x[place[0] + c];
  }
};

struct Pair {
  static constexpr int lanes = 2;
  static void gather(const double* x, const std::int32_t* place, Real<2>* out) {
    for (int c = 0; c < 3; ++c) out[c] = Real<2>{x[place[0] + c], x[place[1] + c]};
  }
};

// Prefetch distance in blocks: hardware prefetching is too late for a kernel that also waits for a vector's values.
// Into the L2 cache, because the first one has too few lines in flight, unless the matrix stays in a cache (README.md).
// Of 2 to 128 blocks, 8 were fastest or nearly so.
constexpr std::int64_t distance = 8;

template <class Set, int width>
struct Loops {
  static constexpr int lanes = Set::lanes;
  static constexpr int groups = width / lanes;
  using Vector = Real<lanes>;
  static constexpr bool interleaves = requires(double* x, Vector* some) { Set::read(x, some); };
  // One value for each row of a chunk; three of them form a chunk of a vector.
  struct Values {
    Vector of[3][groups];
  };

  static double lane(Vector x, int i) {
    if constexpr (lanes == 1) {
      return x;
    } else {
      return x[i];
    }
  }

  static Vector load(const double* from) { return *reinterpret_cast<const Vector*>(from); }

  static Values read(const double* x) {
    if constexpr (interleaves) {
      Values out;
#pragma GCC unroll 8
      for (int g = 0; g < groups; ++g) {
        Vector some[3];
        Set::read(x + g * 3 * lanes, some);
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c) out.of[c][g] = some[c];
      }
      return out;
    }
    static constexpr std::int32_t place[8] = {0, 3, 6, 9, 12, 15, 18, 21};
    return gather(x, place);
  }

  static Values gather(const double* x, const std::int32_t* place) {
    Values out;
#pragma GCC unroll 8
    for (int g = 0; g < groups; ++g) {
      Vector some[3];
      Set::gather(x, place + g * lanes, some);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) out.of[c][g] = some[c];
    }
    return out;
  }

  static void write(double* x, const Values& values) {
    if constexpr (interleaves) {
#pragma GCC unroll 8
      for (int g = 0; g < groups; ++g) {
        const Vector some[3] = {values.of[0][g], values.of[1][g], values.of[2][g]};
        Set::write(x + g * 3 * lanes, some);
      }
      return;
    }
#pragma GCC unroll 8
    for (int i = 0; i < width; ++i) {
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) x[3 * i + c] = lane(values.of[c][i / lanes], i % lanes);
    }
  }

  // sum += block x
  static void add(Values& sum, const double* block, const Values& x) {
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
#pragma GCC unroll 8
        for (int g = 0; g < groups; ++g) sum.of[i][g] += load(block + (3 * i + j) * width + g * lanes) * x.of[j][g];
      }
    }
  }

  template <int locality>
  static void fetch(const Blocks& blocks, std::int64_t k) {
#pragma GCC unroll 9
    for (int i = 0; i < 9; ++i) __builtin_prefetch(blocks.value + (k * 9 + i) * width, 0, locality);
    __builtin_prefetch(blocks.column + k * width, 0, locality);
  }

  template <int locality>
  static void add_from(Values& sum, const Blocks& blocks, std::int64_t chunk, const double* x) {
    const std::int64_t end = blocks.start[chunk + 1];
    for (std::int64_t k = blocks.start[chunk]; k < end; ++k) {
      if constexpr (width == 8) fetch<locality>(blocks, k + distance);
      add(sum, blocks.value + k * 9 * width, gather(x, blocks.column + k * width));
    }
  }

  // sum += the chunk's blocks times x. One test for a chunk: one for each block took 5% of the rate from memory.
  static void add(Values& sum, const Blocks& blocks, std::int64_t chunk, const double* x) {
    if (blocks.cached) {
      add_from<3>(sum, blocks, chunk, x);
    } else {
      add_from<2>(sum, blocks, chunk, x);
    }
  }

  // x := D^-1 x
  static void solve(const double* factor, Values& x) {
#pragma GCC unroll 8
    for (int g = 0; g < groups; ++g) {
      const auto f = [&](int i) { return load(factor + i * width + g * lanes); };
      const Vector x0 = x.of[0][g];
      const Vector x1 = x.of[1][g] - f(3) * x0;
      const Vector x2 = (x.of[2][g] - f(6) * x0 - f(7) * x1) * f(8);
      const Vector y1 = (x1 - f(5) * x2) * f(4);
      x.of[2][g] = x2;
      x.of[1][g] = y1;
      x.of[0][g] = (x0 - f(1) * y1 - f(2) * x2) * f(0);
    }
  }

  static void add_product(Vector* sum, const Values& x, const Values& y) {
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 8
      for (int g = 0; g < groups; ++g) sum[g] += x.of[c][g] * y.of[c][g];
    }
  }

  static double total(const Vector* sums) {
    double out = 0.0;
    for (int g = 0; g < groups; ++g) {
      for (int i = 0; i < lanes; ++i) out += lane(sums[g], i);
    }
    return out;
  }

  static double multiply(const Rows& rows, std::int64_t begin, std::int64_t end, const double* p, double* q) {
    Vector sums[groups] = {};
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      const Values own = read(p + chunk * 3 * width);
      Values sum = {};
      add(sum, rows.diagonal + chunk * 9 * width, own);
      add(sum, rows.lower, chunk, p);
      add(sum, rows.upper, chunk, p);
      write(q + chunk * 3 * width, sum);
      add_product(sums, own, sum);
    }
    return total(sums);
  }

  static double multiply_outer(const Outer& outer, std::int64_t begin, std::int64_t end, const double* p, double* q) {
    Vector sums[groups] = {};
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      Values sum = {};
      add(sum, outer.blocks, chunk, p);
      const std::int32_t* row = outer.row + chunk * width;
      add_product(sums, gather(p, row), sum);
      for (int i = 0; i < width; ++i) {
        for (int c = 0; c < 3; ++c) q[row[i] + c] += lane(sum.of[c][i / lanes], i % lanes);
      }
    }
    return total(sums);
  }

  static void forward(const Rows& rows, std::int64_t begin, std::int64_t end, const double* r, double* z) {
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      Values sum = {};
      add(sum, rows.lower, chunk, z);
      Values x = read(r + chunk * 3 * width);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 8
        for (int g = 0; g < groups; ++g) x.of[c][g] -= sum.of[c][g];
      }
      solve(rows.factor + chunk * 9 * width, x);
      write(z + chunk * 3 * width, x);
    }
  }

  static double backward(const Rows& rows, std::int64_t begin, std::int64_t end, const double* r, double* z) {
    Vector sums[groups] = {};
    // Addresses ascend within a stage here, too, because hardware prefetching handles that better.
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      Values sum = {};
      add(sum, rows.upper, chunk, z);
      solve(rows.factor + chunk * 9 * width, sum);
      Values x = read(z + chunk * 3 * width);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 8
        for (int g = 0; g < groups; ++g) x.of[c][g] -= sum.of[c][g];
      }
      write(z + chunk * 3 * width, x);
      add_product(sums, read(r + chunk * 3 * width), x);
    }
    return total(sums);
  }

  // n is a multiple of eight.
  static double advance(std::int64_t n, double alpha, const double* p, const double* q, double* u, double* r) {
    constexpr int vectors = 8 / lanes;
    Vector sums[vectors] = {};
    for (std::int64_t i = 0; i < n; i += 8) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        const std::int64_t at = i + v * lanes;
        *reinterpret_cast<Vector*>(u + at) = load(u + at) + alpha * load(p + at);
        const Vector left = load(r + at) - alpha * load(q + at);
        *reinterpret_cast<Vector*>(r + at) = left;
        sums[v] += left * left;
      }
    }
    double out = 0.0;
    for (int v = 0; v < vectors; ++v) {
      for (int i = 0; i < lanes; ++i) out += lane(sums[v], i);
    }
    return out;
  }

  static void direct(std::int64_t n, double beta, const double* z, double* p) {
    for (std::int64_t i = 0; i < n; i += lanes) {
      *reinterpret_cast<Vector*>(p + i) = load(z + i) + beta * load(p + i);
    }
  }
};

// Vector updates are the same in both formats.
template <class Set, int width, class Vectors>
constexpr Kernels kernels(const char* name) noexcept {
  using These = Loops<Set, width>;
  using Updates = Loops<Vectors, 8>;
  return {name,           width,           These::multiply,  These::multiply_outer,
          These::forward, These::backward, Updates::advance, Updates::direct};
}

}  // namespace
}  // namespace banzuke::geofem
// NOLINTEND(modernize-avoid-c-arrays)
