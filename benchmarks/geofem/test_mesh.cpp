#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <vector>

#include "reference.hpp"
#include "testing.hpp"

namespace banzuke::geofem {
namespace {

struct Split {
  Triple cube;
  Triple grid;
};

// Even, uneven, parts of one node, and all 26 neighbours.
constexpr std::array<Split, 6> splits{{{{2, 2, 2}, {1, 1, 1}},
                                       {{2, 3, 5}, {2, 1, 1}},
                                       {{7, 5, 3}, {3, 2, 1}},
                                       {{3, 3, 3}, {3, 3, 3}},
                                       {{8, 7, 5}, {2, 3, 2}},
                                       {{4, 4, 9}, {1, 1, 5}}}};

std::vector<Domain> domains_of(const Split& split) {
  std::vector<Domain> out;
  out.reserve(static_cast<std::size_t>(product(split.grid)));
  for (int rank = 0; rank < product(split.grid); ++rank) out.emplace_back(split.cube, split.grid, rank);
  return out;
}

std::int64_t global(const Triple& cube, const Triple& at) { return at[0] + cube[0] * (at[1] + cube[1] * at[2]); }

TEST(Domain, EveryNodeBelongsToOneRank) {
  for (const auto& split : splits) {
    std::vector<int> owners(static_cast<std::size_t>(product(split.cube)));
    for (const auto& domain : domains_of(split)) {
      for (std::int64_t node = 0; node < domain.own(); ++node) {
        const Triple at = domain.position(node);
        EXPECT_TRUE(domain.owns(at));
        EXPECT_EQ(domain.index(at), node);
        ++owners[global(split.cube, at)];
      }
    }
    EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
  }
}

// What each rank sends arrives at the places where the other one looks for it.
TEST(Domain, ExchangesTheNodesAround) {
  for (const auto& split : splits) {
    const auto domains = domains_of(split);
    for (int rank = 0; rank < std::ssize(domains); ++rank) {
      const Domain& domain = domains[rank];
      std::vector<std::int64_t> arrived;
      for (const auto& neighbour : domain.neighbours()) {
        std::int64_t count = 0;
        for (const auto& back : domains[neighbour.rank].neighbours()) {
          if (back.rank != rank) continue;
          for (const auto node : back.send) {
            arrived.push_back(global(split.cube, domains[neighbour.rank].position(node)));
            ++count;
          }
        }
        EXPECT_EQ(count, neighbour.receive);
      }
      ASSERT_EQ(static_cast<std::int64_t>(arrived.size()), domain.external());
      std::int64_t needed = 0;
      std::vector<bool> seen(arrived.size());
      for (std::int64_t node = 0; node < domain.own(); ++node) {
        const Triple at = domain.position(node);
        for (std::int64_t offset = 0; offset < 27; ++offset) {
          const Triple there{at[0] + offset % 3 - 1, at[1] + offset / 3 % 3 - 1, at[2] + offset / 9 - 1};
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) inside = inside && there[d] >= 0 && there[d] < split.cube[d];
          if (!inside || domain.owns(there)) continue;
          const auto place = domain.index(there) - domain.own();
          ASSERT_TRUE(place >= 0 && place < domain.external());
          EXPECT_EQ(arrived[place], global(split.cube, there));
          if (!seen[place]) ++needed;
          seen[place] = true;
        }
      }
      EXPECT_EQ(needed, domain.external());
    }
  }
}

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

// Strain of one along z alone: twice the energy is (1 - nu) / ((1 + nu) (1 - 2 nu)); shear of one: 1 / (2 (1 + nu)).
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
  for (std::int64_t node = 0; node < domain.own(); ++node) sum += load(domain.cube(), domain.position(node))[2];
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

// The rows, and the product made element by element.
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
