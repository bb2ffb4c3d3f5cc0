#include "vectors.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>

#include "spmv.hpp"

namespace banzuke::spmv {

Vectors::Vectors(std::int64_t rows) : y_(static_cast<std::size_t>(rows)) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < rows; ++i) y_[static_cast<std::size_t>(i)] = std::numeric_limits<double>::quiet_NaN();
}

void Vectors::store(std::span<double> y) const { std::ranges::copy(y_.span(), y.begin()); }

Flush::Flush() : lines_(static_cast<std::size_t>(flush_bytes * omp_get_max_threads()) / sizeof(double)) {}

void Flush::operator()() {
  double* at = lines_.data();
  const auto size = static_cast<std::int64_t>(lines_.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) at[i] += 1.0;
}

}  // namespace banzuke::spmv
