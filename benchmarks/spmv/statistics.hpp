// Statistics of a matrix, published with its figures.
#pragma once

#include <cstdint>

#include "core/crs.hpp"

namespace banzuke::spmv {

struct Statistics {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t row_max = 0;
  std::int64_t empty_rows = 0;
  std::int64_t bandwidth = 0;  // largest |row - column|
  double row_mean = 0.0;
  double row_cv = 0.0;  // standard deviation of the row lengths over their mean; 0 if there are no entries
};

Statistics statistics(const Crs& matrix);

}  // namespace banzuke::spmv
