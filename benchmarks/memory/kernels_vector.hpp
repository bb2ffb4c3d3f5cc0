// The loops on a `Vector` of one instruction set: load, store, broadcast, multiply_add, and for bits load_bits,
// add_bits, no_bits and sum_bits (of a vector's elements). Included once by each kernels_*.cpp, in its own namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels.hpp"

namespace banzuke::memory {
namespace {

// A compiler barrier, so that passes are not merged.
inline void end_pass() { asm volatile("" ::: "memory"); }

template <class Vector>
struct VectorKernels {
  // Calls part(i) for every vector of [0, n), eight at a time.
  template <class Part>
  static void sweep(std::size_t n, Part part) {
    const std::size_t lanes = Vector::lanes();
    std::size_t i = 0;
    for (; i + 8 * lanes <= n; i += 8 * lanes) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < 8; ++j) part(i + j * lanes);
    }
    for (; i < n; i += lanes) part(i);  // for vectors longer than `grain` assumes
  }

  static std::uint64_t load(const double* a, std::size_t n, std::int64_t passes) {
    // Four sums, so that an addition need not wait for the previous one; SVE registers cannot be array elements.
    typename Vector::Bits s0 = Vector::no_bits();
    typename Vector::Bits s1 = s0;
    typename Vector::Bits s2 = s0;
    typename Vector::Bits s3 = s0;
    const std::size_t lanes = Vector::lanes();
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      std::size_t i = 0;
      for (; i + 8 * lanes <= n; i += 8 * lanes) {
        s0 = Vector::add_bits(s0, Vector::load_bits(a + i));
        s1 = Vector::add_bits(s1, Vector::load_bits(a + i + lanes));
        s2 = Vector::add_bits(s2, Vector::load_bits(a + i + 2 * lanes));
        s3 = Vector::add_bits(s3, Vector::load_bits(a + i + 3 * lanes));
        s0 = Vector::add_bits(s0, Vector::load_bits(a + i + 4 * lanes));
        s1 = Vector::add_bits(s1, Vector::load_bits(a + i + 5 * lanes));
        s2 = Vector::add_bits(s2, Vector::load_bits(a + i + 6 * lanes));
        s3 = Vector::add_bits(s3, Vector::load_bits(a + i + 7 * lanes));
      }
      for (; i < n; i += lanes) s0 = Vector::add_bits(s0, Vector::load_bits(a + i));
      end_pass();
    }
    return Vector::sum_bits(Vector::add_bits(Vector::add_bits(s0, s1), Vector::add_bits(s2, s3)));
  }

  static void store(double* a, std::size_t n, std::int64_t first, std::int64_t passes) {
    for (std::int64_t pass = first; pass < first + passes; ++pass) {
      const auto value = static_cast<double>(pass % numbers);  // not a vector: SVE's cannot be captured
      sweep(n, [=](std::size_t i) { Vector::store(a + i, Vector::broadcast(value)); });
      end_pass();
    }
  }

  static void copy(double* a, const double* b, std::size_t n, std::int64_t passes) {
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      sweep(n, [=](std::size_t i) { Vector::store(a + i, Vector::load(b + i)); });
      end_pass();
    }
  }

  static void triad(double* a, const double* b, const double* c, std::size_t n, std::int64_t first,
                    std::int64_t passes) {
    for (std::int64_t pass = first; pass < first + passes; ++pass) {
      const auto scalar = static_cast<double>(pass % numbers);
      sweep(n, [=](std::size_t i) {
        Vector::store(a + i, Vector::multiply_add(Vector::broadcast(scalar), Vector::load(c + i), Vector::load(b + i)));
      });
      end_pass();
    }
  }
};

template <class Vector>
const Kernels& vector_kernels() {
  using Own = VectorKernels<Vector>;
  static constexpr Kernels kernels{Vector::name, Own::load, Own::store, Own::copy, Own::triad};
  return kernels;
}

}  // namespace
}  // namespace banzuke::memory
