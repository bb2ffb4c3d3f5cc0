// What a solution is checked with: the exact one, and a product with A that is made element by element from nothing but
// the one element, with no matrix, ordering or colour.
#pragma once

#include <array>
#include <span>

#include "core/communicator.hpp"
#include "core/domain.hpp"

namespace banzuke::geofem {

// Both of a displacement by own and external nodes; collective.

// Largest difference from the exact displacement, relative to the longest edge of the cube.
inline constexpr double error_tolerance = 1e-6;
double error(const Domain& domain, std::span<const double> u, const Communicator& ranks);

// |b - A u| / |b|; the solver's own, which it stops by, has collected some rounding.
inline constexpr double residual_tolerance = 1.1e-8;
double residual(const Domain& domain, std::span<const double> u, const Communicator& ranks);

}  // namespace banzuke::geofem
