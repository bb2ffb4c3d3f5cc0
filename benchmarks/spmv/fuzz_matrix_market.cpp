// Whatever is in a file, the reader refuses it with a message or returns a matrix that is valid for the kernels.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/fuzz/demand.hpp"
#include "matrix_market.hpp"

namespace banzuke::spmv {
namespace {

void check(const Crs& matrix) {
  demand(matrix.rows >= 0 && matrix.columns >= 0, "sizes are not negative");
  demand(std::cmp_equal(matrix.start.size(), matrix.rows + 1) && matrix.start.front() == 0, "rows + 1 offsets from 0");
  demand(std::ranges::is_sorted(matrix.start), "offsets do not decrease");
  demand(std::cmp_equal(matrix.column.size(), matrix.nonzeros()), "a column for each entry");
  demand(std::cmp_equal(matrix.value.size(), matrix.nonzeros()), "a value for each entry");
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto columns = matrix.columns_of(row);
    demand(std::ranges::adjacent_find(columns, std::ranges::greater_equal{}) == columns.end(), "columns increase");
    demand(columns.empty() || (columns.front() >= 0 && columns.back() < matrix.columns), "columns are of the matrix");
  }
}

}  // namespace
}  // namespace banzuke::spmv

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace banzuke::spmv;
  static const int file = memfd_create("matrix", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  const bool written = ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  banzuke::demand(written, "the input can be written");
  double footprint = -1.0;
  try {
    footprint = footprint_of_file(path);
    check(read_matrix_market(path));
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    banzuke::demand(what.starts_with(path + ":"), "an error names the file");
    banzuke::demand(std::ranges::all_of(what, [](char c) { return c >= ' ' && c <= '~'; }), "an error can be shown");
  }
  // The framework relies on the footprint, so it must be bounded in proportion to the file, which may be compressed.
  banzuke::demand(footprint <= 2e7 + 1032.0 * 1000.0 * static_cast<double>(size), "the footprint is bounded");
  return 0;
}
