// Checks of a solution: against the exact one, and by its residual, with the product with A computed element by element
// from the single element, without matrix, ordering or colours.
#pragma once

#include <array>
#include <span>

#include "core/communicator.hpp"
#include "core/domain.hpp"

namespace banzuke::geofem {

// Both take a displacement by own and external nodes; collective.

// Largest difference from the exact displacement, relative to the longest edge of the cube.
inline constexpr double error_tolerance = 1e-6;
double error(const Domain& domain, std::span<const double> u, const Communicator& ranks);

// |b - A u| / |b|; the solver's own residual, its stopping criterion, has accumulated some rounding.
inline constexpr double residual_tolerance = 1.1e-8;
double residual(const Domain& domain, std::span<const double> u, const Communicator& ranks);

}  // namespace banzuke::geofem
