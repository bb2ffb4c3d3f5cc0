// STREAM's loops as target regions of OpenMP. GCC maps `simd` to the 32 lanes of a warp, consecutive elements to
// consecutive lanes.
#include "directives.hpp"
#include "loops.hpp"

namespace banzuke::stream {

void fill(std::int64_t n, double with, double* array) {
#pragma omp target teams distribute parallel for simd is_device_ptr(array)
  for (std::int64_t i = 0; i < n; ++i) array[i] = with;
}

void copy(std::int64_t n, const double* a, double* c) {
#pragma omp target teams distribute parallel for simd is_device_ptr(a, c)
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i];
}

void scale(std::int64_t n, double factor, const double* c, double* b) {
#pragma omp target teams distribute parallel for simd is_device_ptr(b, c)
  for (std::int64_t i = 0; i < n; ++i) b[i] = factor * c[i];
}

void add(std::int64_t n, const double* a, const double* b, double* c) {
#pragma omp target teams distribute parallel for simd is_device_ptr(a, b, c)
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void triad(std::int64_t n, const double* b, const double* c, double* a) {
#pragma omp target teams distribute parallel for simd is_device_ptr(a, b, c)
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
}

double dot(std::int64_t n, const double* a, const double* b) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for simd is_device_ptr(a, b) map(tofrom : sum) reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace banzuke::stream
