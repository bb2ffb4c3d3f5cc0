#include <bit>

#include "gups.hpp"
#include "sequence.hpp"

namespace banzuke::gups {

void declare_sizes(Parameters& parameters, Params& params) {
  parameters.add("n", params.n, "words of 64 bits in a rank's table, a power of two",
                 {.min = 2, .max = std::int64_t{1} << 40});
  parameters.add("rounds", params.rounds, "times that four updates a word are made and timed", {.min = 1, .max = 1000});
}

void check_power_of_two(const std::string& name, std::int64_t value) {
  const auto number = static_cast<std::uint64_t>(value);
  if (std::has_single_bit(number)) return;
  throw UsageError(name + ": " + std::to_string(value) + " is no power of two",
                   {{{name, static_cast<std::int64_t>(std::bit_floor(number))}},
                    {{name, static_cast<std::int64_t>(std::bit_ceil(number))}}});
}

std::int64_t wrong_bits(const Tally& tally, std::int64_t n, std::int64_t updates) {
  return std::popcount(tally.checksum ^ checksum_at_first(n) ^ checksum(updates));
}

}  // namespace banzuke::gups
