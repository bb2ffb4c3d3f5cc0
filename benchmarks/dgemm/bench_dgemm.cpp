// Our timed call beside a direct call of the same library's cblas_dgemm on memory from the system's allocator.
// Usage: BANZUKE_BLAS=LIBRARY bench-dgemm-blas [ORDER [ROUNDS]]
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/binding.hpp"
#include "core/blas.hpp"
#include "core/paired.hpp"
#include "core/random.hpp"
#include "dgemm.hpp"

namespace {

using namespace banzuke;

using Function = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                          int);

std::vector<double> filled(std::size_t size, std::uint64_t matrix) {
  std::vector<double> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = uniform(matrix, i);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = positive_argument(argc, argv, 1, 4000);
  const int rounds = positive_argument(argc, argv, 2, 11);
  const std::vector<int> cpus = allowed_cpus();
  bind_threads(cpus);
  std::vector<std::vector<int>> places;
  places.reserve(cpus.size());
  for (const int cpu : cpus) places.push_back({cpu});
  dgemm::Dgemm ours({.m = n, .n = n, .k = n}, places);

  void* library = dlopen(Blas::chosen().c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* address = dlsym(library, "cblas_dgemm");
  if (address == nullptr) address = dlsym(library, "scipy_cblas_dgemm");
  const auto direct = reinterpret_cast<Function>(address);
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto a = filled(size, dgemm::matrix_a);
  const auto b = filled(size, dgemm::matrix_b);
  auto c = filled(size, dgemm::matrix_c);

  std::printf("%s, order %d, %zu threads, %d rounds in turn\n", std::getenv("BANZUKE_BLAS"), n, cpus.size(), rounds);
  compare_ways({{"banzuke-dgemm-blas", [&] { ours.run(); }},
                {"cblas_dgemm called directly",
                 [&] { direct(102, 111, 111, n, n, n, -1.0, a.data(), n, b.data(), n, 1.0, c.data(), n); }}},
               rounds, dgemm::work({.m = n, .n = n, .k = n}).counted, "Gflop/s");
}
