#include <algorithm>
#include <cmath>
#include <numeric>

#include "fft.hpp"

namespace banzuke::fft {
namespace {

constexpr std::array<std::int64_t, 3> primes{2, 3, 5};

// Returns what is left of n after dividing it by 2, 3 and 5 as often as possible.
std::int64_t rest(std::int64_t n) {
  for (const auto prime : primes) {
    while (n % prime == 0) n /= prime;
  }
  return n;
}

// Returns the most even split of n into two multiples of the number of ranks; n1 is 0 if there is none.
Split best(std::int64_t n, std::int64_t ranks) {
  Split found{0, 0};
  if (n % ranks != 0 || n / ranks % ranks != 0) return found;
  const std::int64_t inner = n / ranks / ranks;
  double distance = std::numeric_limits<double>::infinity();
  for (std::int64_t a = 1; a <= inner; a *= 2) {
    for (std::int64_t b = a; b <= inner; b *= 3) {
      for (std::int64_t c = b; c <= inner; c *= 5) {
        if (inner % c != 0) continue;
        const auto first = static_cast<double>(c * ranks);
        const double off = std::abs(std::log(first) - 0.5 * std::log(static_cast<double>(n)));
        if (off < distance || (off == distance && c * ranks < found.n1)) {
          distance = off;
          found = {c * ranks, n / (c * ranks)};
        }
      }
    }
  }
  return found;
}

bool legal(std::int64_t n, std::int64_t ranks) { return rest(n) == 1 && best(n, ranks).n1 > 0; }

// Returns the nearest accepted sizes below and above n: the square of the number of ranks times a number whose only
// prime factors are 2, 3 and 5.
std::vector<Json::Object> nearest(std::int64_t n, std::int64_t ranks) {
  std::int64_t below = 0;
  std::int64_t above = std::numeric_limits<std::int64_t>::max();
  const std::int64_t square = ranks * ranks;
  const double most = std::min(4.0 * std::max(static_cast<double>(n), static_cast<double>(square)), 1.0 * longest);
  for (std::int64_t a = square; static_cast<double>(a) <= most; a *= 2) {
    for (std::int64_t b = a; static_cast<double>(b) <= most; b *= 3) {
      for (std::int64_t c = b; static_cast<double>(c) <= most; c *= 5) {
        if (c < n) below = std::max(below, c);
        if (c > n) above = std::min(above, c);
      }
    }
  }
  std::vector<Json::Object> out;
  if (below > 1) out.push_back({{"n", below}});
  if (above < std::numeric_limits<std::int64_t>::max()) out.push_back({{"n", above}});
  return out;
}

}  // namespace

Split split(std::int64_t n, int ranks) {
  if (rest(ranks) != 1) {
    int fewer = ranks - 1;
    while (rest(fewer) != 1) --fewer;
    throw UsageError("ranks: " + std::to_string(ranks) + " has prime factors other than 2, 3 and 5",
                     {{{"ranks", fewer}}});
  }
  if (!legal(n, ranks)) {
    const std::string square =
        ranks > 1 ? " and be a multiple of the square of the " + std::to_string(ranks) + " ranks" : std::string();
    throw UsageError("n: " + std::to_string(n) + " must have no prime factors but 2, 3 and 5" + square,
                     nearest(n, ranks));
  }
  return best(n, ranks);
}

}  // namespace banzuke::fft
