// The elements of the matrices, each by itself.
#include "core/random.hpp"
#include "ptrans.hpp"

namespace banzuke::ptrans {
namespace {

// An integer of 20 bits that depends on both indices.
double element(std::uint64_t matrix, std::int64_t row, std::int64_t column) {
  constexpr std::uint64_t column_step = 0xD1342543DE82EF95U;  // odd, and not mix_step: of (i, j) and (j, i) differ
  const std::uint64_t place =
      static_cast<std::uint64_t>(row) * mix_step + static_cast<std::uint64_t>(column) * column_step;
  return static_cast<double>(mix((matrix << 56U) + place) >> 44U);
}

}  // namespace

double a_at(std::int64_t row, std::int64_t column) { return element(1, row, column); }
double c_at(std::int64_t row, std::int64_t column) { return element(2, row, column); }

}  // namespace banzuke::ptrans
