// High Performance Linpack: solves A x = b for a dense, pseudo-random A of order N in double precision by LU
// factorisation with partial pivoting.
//
//   for (k = 0; k < n; ++k) {
//     p = row >= k with the largest |A(p,k)|; exchange rows k and p of [A b];
//     for (i = k + 1; i < n; ++i) {
//       A(i,k) /= A(k,k);
//       for (j = k + 1; j <= n; ++j) A(i,j) -= A(i,k) * A(k,j);   // column n is b
//     }
//   }
//   for (k = n - 1; k >= 0; --k) x(k) = (b(k) - sum over j > k of A(k,j) * x(j)) / A(k,k);
//
// 2/3 n^3 + 3/2 n^2 flops as the official code counts them; 8 n^2 bytes of matrix.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/application.hpp"
#include "core/hosts.hpp"

namespace banzuke::hpl {

struct Params {
  std::int64_t n = 4000;
  std::int64_t nb = 192;
  std::int64_t p = 1;
  std::int64_t q = 1;
  std::string order = "row";
  std::int64_t nbmin = 8;
  std::int64_t inner = 0;
  std::int64_t held = 0;
  std::string panel = "auto";
  std::string messages = "host";
  std::int64_t lookahead = 1;
  std::string broadcast = "ring-modified";
  std::string swap = "mixed";
  std::int64_t swap_threshold = 64;
  double split = 0.5;
  std::string deal = "equal";
};

// A rank's position on the grid.
struct Place {
  std::size_t row;
  std::size_t column;
};
inline Place place_of(const Params& params, std::size_t rank) {
  const auto [p, q] = std::pair(static_cast<std::size_t>(params.p), static_cast<std::size_t>(params.q));
  return params.order == "row" ? Place{.row = rank / q, .column = rank % q}
                               : Place{.row = rank % p, .column = rank / p};
}

void declare(Parameters& parameters, Params& params);
// What the caller leaves at its default and does not concern every call is unused.
void settle(Parameters& parameters, const Params& params);

// Bytes of host memory of the rank that needs most: the matrix, two panels, the buffers of the row exchanges.
double footprint(const Params& params);

// Flops as the official code counts them; the matrix read and written once; the bytes that the busiest host receives
// from others.
Work work(const Params& params, const Hosts& hosts = {});

// Throws UsageError if the process grid does not match the number of ranks, or its columns cannot be shared as `deal`
// says.
Problem problem(const Params& params, int ranks);

}  // namespace banzuke::hpl
