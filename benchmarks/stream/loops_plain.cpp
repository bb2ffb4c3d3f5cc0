#include "loops.hpp"

namespace banzuke::stream {
namespace {

void copy(double* c, const double* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i];
}

void scale(double* b, const double* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) b[i] = scalar * c[i];
}

void add(double* c, const double* a, const double* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void triad(double* a, const double* b, const double* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

const Loops* plain_loops(Stores stores) {
  static constexpr Loops loops{"compiler's choice", copy, scale, add, triad, dot};
  return stores == Stores::plain ? &loops : nullptr;
}

}  // namespace banzuke::stream
