#include <cmath>
#include <limits>

#include "spmv.hpp"

namespace banzuke::spmv {

double error(const Crs& matrix, std::span<const double> x, std::span<const double> y) {
  double worst = 0.0;
  bool unknown = false;
#pragma omp parallel for schedule(dynamic, 1024) reduction(max : worst) reduction(|| : unknown)
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto columns = matrix.columns_of(row);
    const auto values = matrix.values_of(row);
    double sum = 0.0;
    double magnitudes = 0.0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double product = values[k] * x[static_cast<std::size_t>(columns[k])];
      sum += product;
      magnitudes += std::abs(product);
    }
    const double difference = std::abs(y[static_cast<std::size_t>(row)] - sum);
    if (difference == 0.0) continue;
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const double ratio = difference / (static_cast<double>(columns.size()) * eps * magnitudes);
    unknown = unknown || std::isnan(ratio);
    worst = std::max(worst, ratio);
  }
  return unknown ? std::numeric_limits<double>::quiet_NaN() : worst;
}

}  // namespace banzuke::spmv
