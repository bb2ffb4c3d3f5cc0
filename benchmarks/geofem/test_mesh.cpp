#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <vector>

#include "core/testing.hpp"
#include "reference.hpp"
#include "testing.hpp"

namespace banzuke::geofem {
namespace {

TEST(Element, IsSymmetricAndFreeInTranslation) {
  const Element element = stiffness();
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t i = 0; i < 9; ++i) {
      double sum = 0.0;
      for (std::size_t b = 0; b < 8; ++b) {
        sum += element[a][b][i];
        EXPECT_NEAR(element[a][b][i], element[b][a][3 * (i % 3) + i / 3], 1e-15);
      }
      EXPECT_NEAR(sum, 0.0, 1e-15);
    }
  }
}

// With a strain of 1 along z only, twice the energy is (1 - nu) / ((1 + nu) (1 - 2 nu)); with a shear of 1, it is 1 /
// (2 (1 + nu)).
TEST(Element, HasTheEnergyOfUniformStrain) {
  const Element element = stiffness();
  double stretch = 0.0;
  double shear = 0.0;
  for (std::size_t a = 4; a < 8; ++a) {
    for (std::size_t b = 4; b < 8; ++b) {
      stretch += element[a][b][8];
      shear += element[a][b][0];
    }
  }
  EXPECT_NEAR(stretch, 0.7 / (1.3 * 0.4), 1e-14);
  EXPECT_NEAR(shear, 0.5 / 1.3, 1e-14);
}

TEST(Load, AddsUpToTheTopFace) {
  const Domain domain({4, 3, 5}, {1, 1, 1}, 0);
  double sum = 0.0;
  for (std::int64_t node = 0; node < domain.own(); ++node) sum += load(domain.whole(), domain.position(node))[2];
  EXPECT_DOUBLE_EQ(sum, 3.0 * 2.0);
}

std::vector<double> exact_solution(const Domain& domain) {
  std::vector<double> u;
  for (std::int64_t node = 0; node < domain.own(); ++node) {
    const auto of = exact(domain.position(node));
    u.insert(u.end(), of.begin(), of.end());
  }
  return u;
}

TEST(Reference, AcceptsTheExactSolutionOnly) {
  for (const Triple cube : {Triple{2, 2, 2}, Triple{3, 2, 5}, Triple{6, 4, 3}}) {
    const Domain domain(cube, {1, 1, 1}, 0);
    auto u = exact_solution(domain);
    EXPECT_LE(error(domain, u, alone()), 1e-15);
    EXPECT_LE(residual(domain, u, alone()), 1e-14);
    u.back() += 1e-3;
    EXPECT_GT(error(domain, u, alone()), error_tolerance);
    EXPECT_GT(residual(domain, u, alone()), residual_tolerance);
    u.back() = std::nan("");
    EXPECT_FALSE(error(domain, u, alone()) <= error_tolerance);
    EXPECT_FALSE(residual(domain, u, alone()) <= residual_tolerance);
  }
}

// Compares products by rows with products element by element.
TEST(Assembly, AgreesWithTheReference) {
  for (const Triple cube : {Triple{2, 2, 2}, Triple{3, 2, 5}, Triple{6, 4, 3}}) {
    const Domain domain(cube, {1, 1, 1}, 0);
    const Plain plain(domain);
    const auto u = numbers(3 * domain.own(), 1);
    auto left = plain.multiply(u);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= plain.b[i];
    const double expected = std::sqrt(dot(left, left) / dot(plain.b, plain.b));
    EXPECT_NEAR(residual(domain, u, alone()) / expected, 1.0, 1e-13);
  }
}

TEST(Assembly, HasTheSizesOfCornersAndInside) {
  const Domain domain({3, 3, 3}, {1, 1, 1}, 0);
  const Assembly assembly(domain);
  EXPECT_EQ(assembly.row(0).size, 8);
  EXPECT_EQ(assembly.row(1).size, 12);
  EXPECT_EQ(assembly.row(4).size, 18);
  EXPECT_EQ(assembly.row(13).size, 27);
}

}  // namespace
}  // namespace banzuke::geofem
