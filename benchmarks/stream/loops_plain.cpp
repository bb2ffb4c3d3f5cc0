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

}  // namespace

const Loops* plain_loops(Stores stores) {
  static constexpr Loops loops{"compiler's choice", copy, scale, add, triad};
  return stores == Stores::plain ? &loops : nullptr;
}

}  // namespace banzuke::stream
