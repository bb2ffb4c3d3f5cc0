#include "core/agreement.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace banzuke {

void agree(const Communicator& ranks, const std::string& failure) {
  const double none = -static_cast<double>(ranks.size());
  const double own = failure.empty() ? none : -static_cast<double>(ranks.rank());
  const double first = ranks.maximum(own);
  if (first == none) return;
  const bool mine = own == first;
  std::string words;
  if (mine) {
    words = ranks.size() > 1 ? "rank " + std::to_string(ranks.rank()) + " on " + Communicator::host() + ": " : "";
    words += failure;
  }
  std::vector<double> letters(static_cast<std::size_t>(ranks.maximum(static_cast<double>(words.size()))));
  if (mine) {
    for (std::size_t i = 0; i < letters.size(); ++i) letters[i] = static_cast<unsigned char>(words[i]);
  }
  ranks.sum(letters);
  words.clear();
  for (const double letter : letters) words += static_cast<char>(static_cast<unsigned char>(letter));
  throw CommonFailure(words);
}

std::uint64_t of_first_rank(const Communicator& ranks, std::uint64_t value) {
  std::array<double, 2> halves{};
  if (ranks.rank() == 0) halves = {static_cast<double>(value >> 32U), static_cast<double>(value & 0xFFFFFFFFU)};
  ranks.sum(halves);
  return (static_cast<std::uint64_t>(halves[0]) << 32U) + static_cast<std::uint64_t>(halves[1]);
}

}  // namespace banzuke
