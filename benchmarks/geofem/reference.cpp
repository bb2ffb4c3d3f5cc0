#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assembly.hpp"

namespace banzuke::geofem {
namespace {

std::array<std::int64_t, 3> corner(std::int64_t number) { return {number & 1, number >> 1 & 1, number >> 2 & 1}; }

// Returns A u at one of this rank's nodes.
std::array<double, 3> product(const Domain& domain, const Element& element, std::span<const double> u,
                              std::int64_t own) {
  const Triple here = domain.position(own);
  std::array<double, 3> sum{};
  for (std::int64_t a = 0; a < 8; ++a) {  // the corner of the element at which the node is
    const Triple at = corner(a);
    const Triple first{here[0] - at[0], here[1] - at[1], here[2] - at[2]};
    bool exists = true;
    for (std::size_t d = 0; d < 3; ++d) exists = exists && first[d] >= 0 && first[d] + 1 < domain.whole()[d];
    for (std::int64_t b = 0; exists && b < 8; ++b) {
      const Triple by = corner(b);
      const Triple there{first[0] + by[0], first[1] + by[1], first[2] + by[2]};
      const double* values = u.data() + 3 * domain.index(there);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          if (!fixed(there, j)) sum[i] += element[a][b][3 * i + j] * values[j];
        }
      }
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (fixed(here, i)) sum[i] = u[3 * own + i];
  }
  return sum;
}

}  // namespace

double error(const Domain& domain, std::span<const double> u, const Communicator& ranks) {
  double most = 0.0;
  for (std::int64_t node = 0; node < domain.own(); ++node) {
    const auto expected = exact(domain.position(node));
    for (std::size_t i = 0; i < 3; ++i) {
      const double difference = std::abs(u[3 * node + i] - expected[i]);
      if (!(difference <= most)) most = difference;  // NaN too
    }
  }
  return ranks.maximum(most) / static_cast<double>(*std::ranges::max_element(domain.whole()) - 1);
}

double residual(const Domain& domain, std::span<const double> u, const Communicator& ranks) {
  const Element element = stiffness();
  double left = 0.0;
  double all = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : left, all)
  for (std::int64_t node = 0; node < domain.own(); ++node) {
    const auto b = load(domain.whole(), domain.position(node));
    const auto au = product(domain, element, u, node);
    for (std::size_t i = 0; i < 3; ++i) {
      left += (b[i] - au[i]) * (b[i] - au[i]);
      all += b[i] * b[i];
    }
  }
  std::array<double, 2> sums{left, all};
  ranks.sum(sums);
  return std::sqrt(sums[0] / sums[1]);
}

}  // namespace banzuke::geofem
