// The loops on a `Vector` of one instruction set: load, broadcast, add, multiply, multiply_add, sum (of its elements),
// and store or stream (a non-temporal store). Included once by each loops_*.cpp, in its own namespace.
#pragma once

#include <cstddef>

#include "loops.hpp"

namespace banzuke::stream {
namespace {

// Whole cache lines are written back to back: four vectors of 64 bytes, eight of 32.
constexpr std::size_t bytes_per_step = 256;

template <class Vector, Stores stores>
struct VectorLoops {
  static void put(double* to, typename Vector::Register value) {
    if constexpr (stores == Stores::nontemporal) {
      Vector::stream(to, value);
    } else {
      Vector::store(to, value);
    }
  }

  // Calls part(i) for every vector of [0, n) and rest(i) for the elements after the last whole step.
  template <class Part, class Rest>
  static void sweep(std::size_t n, Part part, Rest rest) {
    const std::size_t lanes = Vector::lanes();
    const std::size_t step = bytes_per_step / sizeof(double) < lanes ? lanes : bytes_per_step / sizeof(double);
    std::size_t i = 0;
    for (; i + step <= n; i += step) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < step; j += lanes) part(i + j);
    }
    for (; i < n; ++i) rest(i);
    if constexpr (stores == Stores::nontemporal) Vector::fence();
  }

  static void copy(double* c, const double* a, std::size_t n) {
    sweep(n, [=](std::size_t i) { put(c + i, Vector::load(a + i)); }, [=](std::size_t i) { c[i] = a[i]; });
  }

  static void scale(double* b, const double* c, std::size_t n) {
    sweep(
        n, [=](std::size_t i) { put(b + i, Vector::multiply(Vector::broadcast(scalar), Vector::load(c + i))); },
        [=](std::size_t i) { b[i] = scalar * c[i]; });
  }

  static void add(double* c, const double* a, const double* b, std::size_t n) {
    sweep(
        n, [=](std::size_t i) { put(c + i, Vector::add(Vector::load(a + i), Vector::load(b + i))); },
        [=](std::size_t i) { c[i] = a[i] + b[i]; });
  }

  static void triad(double* a, const double* b, const double* c, std::size_t n) {
    sweep(
        n,
        [=](std::size_t i) {
          put(a + i, Vector::multiply_add(Vector::broadcast(scalar), Vector::load(c + i), Vector::load(b + i)));
        },
        [=](std::size_t i) { a[i] = b[i] + scalar * c[i]; });
  }

  static double dot(const double* a, const double* b, std::size_t n) {
    // Four sums, so that an addition need not wait for the previous one; SVE registers cannot be array elements.
    typename Vector::Register s0 = Vector::broadcast(0.0);
    typename Vector::Register s1 = s0;
    typename Vector::Register s2 = s0;
    typename Vector::Register s3 = s0;
    const std::size_t lanes = Vector::lanes();
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      s0 = Vector::multiply_add(Vector::load(a + i), Vector::load(b + i), s0);
      s1 = Vector::multiply_add(Vector::load(a + i + lanes), Vector::load(b + i + lanes), s1);
      s2 = Vector::multiply_add(Vector::load(a + i + 2 * lanes), Vector::load(b + i + 2 * lanes), s2);
      s3 = Vector::multiply_add(Vector::load(a + i + 3 * lanes), Vector::load(b + i + 3 * lanes), s3);
    }
    double sum = Vector::sum(Vector::add(Vector::add(s0, s1), Vector::add(s2, s3)));
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
};

template <class Vector>
const Loops* vector_loops(Stores stores) {
  using Streamed = VectorLoops<Vector, Stores::nontemporal>;
  using Stored = VectorLoops<Vector, Stores::plain>;
  static constexpr Loops streamed{Vector::name,  Streamed::copy,  Streamed::scale,
                                  Streamed::add, Streamed::triad, Streamed::dot};
  static constexpr Loops stored{Vector::name, Stored::copy, Stored::scale, Stored::add, Stored::triad, Stored::dot};
  return stores == Stores::nontemporal ? &streamed : &stored;
}

}  // namespace
}  // namespace banzuke::stream
