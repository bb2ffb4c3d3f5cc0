// Ptrans: adds the transpose of a distributed matrix to another one; HPCC's PTRANS.
//
//   for (j = 0; j < n; ++j) for (i = 0; i < n; ++i) C[i][j] = A[j][i] + C[i][j];     8 n^2 bytes counted
//
// Blocks of nb x nb elements of A and of C are distributed over a grid of p x q ranks in turn, in both dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/application.hpp"
#include "core/hidden.hpp"
#include "core/hosts.hpp"
#include "core/rounds.hpp"

namespace banzuke::ptrans {

struct Params {
  std::int64_t n = 4096;
  std::int64_t nb = 64;
  std::int64_t p = 0;
  std::int64_t q = 0;
  std::int64_t rounds = 5;
};

void declare(Parameters& parameters, Params& params);
// Sets the grid if it was left to the program: as square as can be, and rather wide than high. Throws a UsageError with
// the nearest grids if p x q is not the number of ranks.
Problem problem(Params& params, int ranks);

// Elements of matrices before the first round: integers, so that sums are exact.
double a_at(std::int64_t row, std::int64_t column);
double c_at(std::int64_t row, std::int64_t column);

// The work of a round. `sent`: bytes that the busiest host sends to others.
Work work(std::int64_t n, double sent);

enum class Part { own, pack, exchange, add };
inline constexpr std::array<std::string_view, 4> part_names{"own", "pack", "exchange", "add"};
using Times = RoundTimes<part_names.size()>;

class Ptrans {
 public:
  // Collective. Allocates, and sets the elements of A and of C.
  Ptrans(const Params& params, const Communicator& ranks);

  // C += transpose of A; collective.
  Times run();
  // The bytes that this rank sends to other hosts in a round.
  double sent(const Hosts& hosts) const;
  // Number of this rank's elements of C that are not what so many rounds leave, exactly.
  std::int64_t wrong(std::int64_t rounds) const;

  // This rank's first element of C; for tests of the check. Null if it has none.
  double* first();

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::ptrans
