#include "assembly.hpp"

#include <numbers>

namespace banzuke::geofem {
namespace {

constexpr double young = 1.0;
constexpr double poisson = 0.3;

constexpr std::int64_t bit(std::size_t number, std::size_t axis) {
  return static_cast<std::int64_t>(number >> axis & 1U);
}

// Returns the gradient of the shape function of corner `node` at a point of the reference cube [-1, 1]^3. Its unit is
// the element's edge, which is 1 and not 2 as the cube's.
std::array<double, 3> gradient(std::size_t node, const std::array<double, 3>& point) {
  std::array<double, 3> out{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double value = 2.0 / 8.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double sign = bit(node, d) != 0 ? 1.0 : -1.0;
      value *= d == axis ? sign : 1.0 + sign * point[d];
    }
    out[axis] = value;
  }
  return out;
}

Triple step(std::size_t offset) {
  const auto n = static_cast<std::int64_t>(offset);
  return {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
}

}  // namespace

Element stiffness() {
  // Stress = lambda (trace of strain) I + 2 mu strain.
  constexpr double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
  constexpr double mu = young / (2.0 * (1.0 + poisson));
  constexpr double volume = 1.0 / 8.0;  // of a Gauss point
  constexpr double at = std::numbers::inv_sqrt3;
  Element out{};
  for (std::size_t point = 0; point < 8; ++point) {
    const std::array<double, 3> x{bit(point, 0) != 0 ? at : -at, bit(point, 1) != 0 ? at : -at,
                                  bit(point, 2) != 0 ? at : -at};
    for (std::size_t a = 0; a < 8; ++a) {
      const auto ga = gradient(a, x);
      for (std::size_t b = 0; b < 8; ++b) {
        const auto gb = gradient(b, x);
        const double dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) {
            out[a][b][3 * i + j] += volume * (lambda * ga[i] * gb[j] + mu * ga[j] * gb[i] + (i == j ? mu * dot : 0.0));
          }
        }
      }
    }
  }
  return out;
}

std::array<double, 3> load(const Triple& cube, const Triple& position) {
  if (position[2] != cube[2] - 1) return {};
  double area = 1.0;
  for (std::size_t d = 0; d < 2; ++d) {
    if (position[d] == 0 || position[d] == cube[d] - 1) area *= 0.5;
  }
  return {0.0, 0.0, area};
}

std::array<double, 3> exact(const Triple& position) {
  return {-poisson * static_cast<double>(position[0]), -poisson * static_cast<double>(position[1]),
          static_cast<double>(position[2])};
}

Assembly::Assembly(const Domain& domain) : domain_(domain) {
  const Element element = stiffness();
  for (std::size_t sides = 0; sides < stencils_.size(); ++sides) {
    for (std::size_t corner = 0; corner < 8; ++corner) {  // the corner of the element at which the node is
      bool there = true;
      for (std::size_t d = 0; d < 3; ++d) there = there && (sides >> (2 * d + (bit(corner, d) != 0 ? 0 : 1)) & 1U) != 0;
      if (!there) continue;
      for (std::size_t other = 0; other < 8; ++other) {
        std::size_t offset = 0;
        for (std::size_t d = 3; d-- > 0;) {
          offset = 3 * offset + static_cast<std::size_t>(1 + bit(other, d) - bit(corner, d));
        }
        for (std::size_t i = 0; i < 9; ++i) stencils_[sides][offset][i] += element[corner][other][i];
      }
    }
  }
}

Row Assembly::row(std::int64_t own) const {
  const Triple here = domain_.position(own);
  const Triple& cube = domain_.whole();
  std::size_t sides = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (here[d] > 0) sides |= std::size_t{1} << (2 * d);
    if (here[d] < cube[d] - 1) sides |= std::size_t{2} << (2 * d);
  }
  Row out;
  for (std::size_t offset = 0; offset < 27; ++offset) {
    const Triple by = step(offset);
    const Triple there{here[0] + by[0], here[1] + by[1], here[2] + by[2]};
    bool exists = true;
    for (std::size_t d = 0; d < 3; ++d) exists = exists && there[d] >= 0 && there[d] < cube[d];
    if (!exists) continue;
    const bool diagonal = there == here;
    if (diagonal) out.diagonal = out.size;
    out.node[static_cast<std::size_t>(out.size)] = domain_.index(there);
    Block& block = out.block[static_cast<std::size_t>(out.size)];
    block = stencils_[sides][offset];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        if (fixed(here, i) || fixed(there, j)) block[3 * i + j] = diagonal && i == j ? 1.0 : 0.0;
      }
    }
    ++out.size;
  }
  return out;
}

}  // namespace banzuke::geofem
