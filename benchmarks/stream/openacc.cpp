// STREAM's loops as compute constructs of OpenACC.
#include "directives.hpp"
#include "loops.hpp"

namespace banzuke::stream {

void fill(std::int64_t n, double with, double* array) {
#pragma acc parallel loop deviceptr(array)
  for (std::int64_t i = 0; i < n; ++i) array[i] = with;
}

void copy(std::int64_t n, const double* a, double* c) {
#pragma acc parallel loop deviceptr(a, c)
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i];
}

void scale(std::int64_t n, double factor, const double* c, double* b) {
#pragma acc parallel loop deviceptr(b, c)
  for (std::int64_t i = 0; i < n; ++i) b[i] = factor * c[i];
}

void add(std::int64_t n, const double* a, const double* b, double* c) {
#pragma acc parallel loop deviceptr(a, b, c)
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void triad(std::int64_t n, const double* b, const double* c, double* a) {
#pragma acc parallel loop deviceptr(a, b, c)
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
}

double dot(std::int64_t n, const double* a, const double* b) {
  double sum = 0.0;
#pragma acc parallel loop deviceptr(a, b) reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace banzuke::stream
