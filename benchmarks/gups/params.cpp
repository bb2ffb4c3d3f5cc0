#include <bit>

#include "gups.hpp"
#include "sequence.hpp"

namespace banzuke::gups {

void declare_sizes(Parameters& parameters, Params& params) {
  parameters.add("n", params.n, "words of 64 bits in a rank's table, a power of two",
                 {.min = 2, .max = std::int64_t{1} << 40});
  parameters.add("rounds", params.rounds, "times that four updates a word are made and timed", {.min = 1, .max = 1000});
}

void check_size(std::int64_t n) {
  const auto words = static_cast<std::uint64_t>(n);
  if (std::has_single_bit(words)) return;
  throw UsageError("n: " + std::to_string(n) + " is no power of two",
                   {{{"n", static_cast<std::int64_t>(std::bit_floor(words))}},
                    {{"n", static_cast<std::int64_t>(std::bit_ceil(words))}}});
}

std::int64_t wrong_bits(const Tally& tally, std::int64_t n, std::int64_t updates) {
  return std::popcount(tally.checksum ^ checksum_at_first(n) ^ checksum(updates));
}

}  // namespace banzuke::gups
