// STREAM's loops as compute constructs of OpenACC.
#include "gpu_launches.hpp"
#include "loops.hpp"

namespace banzuke::stream {
namespace {

void fill(std::int64_t n, double with, double* array) {
#pragma acc parallel loop deviceptr(array)
  for (std::int64_t i = 0; i < n; ++i) array[i] = with;
}

void copy(std::int64_t n, const double* a, double* c) {
#pragma acc parallel loop deviceptr(a, c)
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i];
}

// Also used for the calibration, with b and c both `a`.
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

}  // namespace

void launch_fill(const DeviceArrays& arrays, const gpu::Stream& /*stream*/) {
  fill(arrays.n, 1.0, arrays.a.address());
  fill(arrays.n, 2.0, arrays.b.address());
  fill(arrays.n, 0.0, arrays.c.address());
}

void launch_calibration(const DeviceArrays& arrays, const gpu::Stream& /*stream*/) {
  scale(arrays.n, 2.0, arrays.a.address(), arrays.a.address());
}

void launch(Kernel kernel, const DeviceArrays& arrays, gpu::PinnedPointer<double> sums, std::int64_t /*blocks*/,
            const gpu::Stream& /*stream*/) {
  double* a = arrays.a.address();
  double* b = arrays.b.address();
  double* c = arrays.c.address();
  switch (kernel) {
    case Kernel::copy:
      return copy(arrays.n, a, c);
    case Kernel::scale:
      return scale(arrays.n, scalar, c, b);
    case Kernel::add:
      return add(arrays.n, a, b, c);
    case Kernel::triad:
      return triad(arrays.n, b, c, a);
    case Kernel::dot:
      *sums.address() = dot(arrays.n, a, b);
  }
}

// A reduction of OpenACC leaves a single sum.
std::int64_t dot_blocks(std::int64_t /*n*/, int /*multiprocessors*/) { return 1; }

}  // namespace banzuke::stream
