// What several ranks see of each other; run with two or more. Exit status 1 when something is wrong.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/communicator.hpp"

namespace {

bool check(bool holds, const char* what) {
  if (!holds) std::fprintf(stderr, "failed: %s\n", what);
  return holds;
}

}  // namespace

int main(int argc, char** argv) {
  const banzuke::Communicator ranks(argc, argv);
  const int rank = ranks.rank();
  bool good = check(ranks.size() > 1, "several ranks");

  std::array<double, 2> values{static_cast<double>(rank), static_cast<double>(-rank)};
  ranks.maximum(values);
  good &= check(values[0] == ranks.size() - 1 && values[1] == 0.0, "the maximum is element by element");

  // A check that is NaN on one rank must not pass on rank 0, whichever rank it is.
  for (int bad = 0; bad < ranks.size(); ++bad) {
    const double worst = ranks.maximum(rank == bad ? std::nan("") : 0.1);
    good &= check(!(worst <= 1e300), "NaN of one rank is not lost");
  }

  const std::vector<std::string> texts = ranks.gather(std::string(static_cast<std::size_t>(rank), 'x'));
  good &= check(texts.size() == static_cast<std::size_t>(rank == 0 ? ranks.size() : 0), "texts are on rank 0 alone");
  for (std::size_t i = 0; i < texts.size(); ++i) good &= check(texts[i] == std::string(i, 'x'), "texts are by rank");
  return good ? 0 : 1;
}
