// The elements of the matrices, each by itself.
#include "core/random.hpp"
#include "ptrans.hpp"

namespace banzuke::ptrans {
namespace {

// An integer of 20 bits that depends on both indices.
double element(std::uint64_t matrix, std::int64_t row, std::int64_t column) {
  const std::uint64_t of_row = mix((matrix << 56U) + (static_cast<std::uint64_t>(row) + 1) * mix_step);
  return static_cast<double>(mix(of_row + (static_cast<std::uint64_t>(column) + 1) * mix_step) >> 44U);
}

}  // namespace

double a_at(std::int64_t row, std::int64_t column) { return element(1, row, column); }
double c_at(std::int64_t row, std::int64_t column) { return element(2, row, column); }

}  // namespace banzuke::ptrans
