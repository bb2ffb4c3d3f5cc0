#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.hpp"
#include "families.hpp"
#include "family.hpp"
#include "statistics.hpp"

namespace banzuke::spmv {
namespace {

bool symmetric(const std::string& family) {
  static const std::set<std::string> others = {"lp", "incidence", "banded", "erdos-renyi", "rmat", "web", "dense"};
  return !others.contains(family);
}

std::vector<std::int64_t> row_of(const Crs& matrix, std::int64_t row) {
  const auto columns = matrix.columns_of(row);
  return {columns.begin(), columns.end()};
}

void expect_equal(const Crs& a, const Crs& b, const std::string& what) {
  EXPECT_EQ(a.rows, b.rows) << what;
  EXPECT_EQ(a.columns, b.columns) << what;
  EXPECT_EQ(a.start, b.start) << what;
  EXPECT_EQ(a.column, b.column) << what;
  EXPECT_EQ(a.value, b.value) << what;
}

Crs transposed(const Crs& matrix) {
  std::vector<std::vector<std::pair<std::int32_t, double>>> rows(index(matrix.columns));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t i = 0; i < matrix.columns_of(row).size(); ++i) {
      rows[index(matrix.columns_of(row)[i])].emplace_back(row, matrix.values_of(row)[i]);
    }
  }
  Crs out{.rows = matrix.columns, .columns = matrix.rows, .start = {0}, .column = {}, .value = {}};
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      out.column.push_back(column);
      out.value.push_back(value);
    }
    out.start.push_back(static_cast<std::int64_t>(out.column.size()));
  }
  return out;
}

// --------------------------------------------------------------------------------------------------------- every one

class EveryFamily : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Of, EveryFamily, testing::ValuesIn(family_names()), [](const auto& family) {
  std::string name = family.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(EveryFamily, IsASoundMatrixOfAboutTheSizeWanted) {
  for (const std::int64_t wanted : {-5, 0, 1, 2, 30, 1000, 3000, 50'000, 200'000}) {
    SCOPED_TRACE(wanted);
    const Crs matrix = generate(GetParam(), wanted);
    ASSERT_GE(matrix.rows, 1);
    ASSERT_GE(matrix.columns, 1);
    ASSERT_EQ(matrix.start.size(), index(matrix.rows) + 1);
    ASSERT_EQ(matrix.start.front(), 0);
    ASSERT_TRUE(std::ranges::is_sorted(matrix.start));
    ASSERT_EQ(matrix.column.size(), index(matrix.nonzeros()));
    ASSERT_EQ(matrix.value.size(), index(matrix.nonzeros()));
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const auto columns = matrix.columns_of(row);
      ASSERT_EQ(std::ranges::adjacent_find(columns, std::ranges::greater_equal{}), columns.end()) << row;
      ASSERT_TRUE(columns.empty() || (columns.front() >= 0 && columns.back() < matrix.columns)) << row;
    }
    ASSERT_TRUE(std::ranges::all_of(matrix.value, [](double value) { return value >= -0.5 && value < 0.5; }));
    const double ratio = static_cast<double>(matrix.nonzeros()) / static_cast<double>(wanted);
    if (wanted == 1000) {
      EXPECT_GE(ratio, 0.5);
      EXPECT_LE(ratio, 2.5);
    } else if (wanted >= 50'000) {
      EXPECT_GE(ratio, 0.8);
      EXPECT_LE(ratio, 1.15);
    }
    const double bytes = 12.0 * static_cast<double>(matrix.nonzeros()) + 8.0 * static_cast<double>(matrix.rows + 1);
    if (wanted >= 1000) {
      EXPECT_GE(footprint_of(GetParam(), wanted), bytes);
    }
    if (wanted >= 50'000) {
      EXPECT_LE(footprint_of(GetParam(), wanted), 1.4 * bytes);
    }
  }
}

TEST_P(EveryFamily, IsTheSameForAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const std::int64_t wanted : {2000, 300'000}) {  // one piece, and several
    omp_set_num_threads(1);
    const Crs one = generate(GetParam(), wanted);
    omp_set_num_threads(3);
    expect_equal(generate(GetParam(), wanted), one, std::to_string(wanted));
  }
  omp_set_num_threads(before);
}

TEST_P(EveryFamily, IsSymmetricWhereItSaysSo) {
  for (const std::int64_t wanted : {1, 1000, 30'000}) {
    const Crs matrix = generate(GetParam(), wanted);
    if (symmetric(GetParam())) {
      expect_equal(transposed(matrix), matrix, std::to_string(wanted));
    } else if (wanted > 1) {
      EXPECT_NE(transposed(matrix).value, matrix.value);
    }
  }
}

TEST_P(EveryFamily, HasDifferentValues) {
  const Crs matrix = generate(GetParam(), 20'000);
  const std::set different(matrix.value.begin(), matrix.value.end());
  EXPECT_LE(static_cast<double>(matrix.value.size() - different.size()),
            (symmetric(GetParam()) ? 0.5 : 0.0) * static_cast<double>(matrix.value.size()));
}

TEST(Families, AreAtLeastTwentyOfDifferentNames) {
  EXPECT_GE(family_names().size(), 20U);
  EXPECT_EQ(std::set(family_names().begin(), family_names().end()).size(), family_names().size());
}

TEST(Families, RefuseWhatDoesNotExist) {
  try {
    generate("stencil-6", 1000);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'stencil-6'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("stencil-5, "), std::string::npos) << error.what();
  }
  EXPECT_THROW(footprint_of("", 1000), UsageError);
}

TEST(Families, RefuseMoreRowsThanColumnsCanNumber) {
  EXPECT_THROW(generate("road", 100'000'000'000), UsageError);
  EXPECT_THROW(generate("dense", std::numeric_limits<std::int64_t>::max()), UsageError);
  EXPECT_GT(footprint_of("stencil-5", 10'000'000'000), 1.2e11);
  for (const std::string& family : family_names()) {
    EXPECT_THROW(footprint_of(family, std::numeric_limits<std::int64_t>::max()), UsageError) << family;
  }
}

// ----------------------------------------------------------------------------------------------------- what each is

// The sides of a grid, which follow from the neighbours of its first point.
struct Box {
  std::int64_t x, y, z;
};

void expect_stencil(const Crs& matrix, const Box& box, bool star) {
  ASSERT_EQ(matrix.rows, box.x * box.y * box.z);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::vector<std::int64_t> expected;
    for (std::int64_t k = -1; k <= 1; ++k) {
      for (std::int64_t j = -1; j <= 1; ++j) {
        for (std::int64_t i = -1; i <= 1; ++i) {
          const std::int64_t x = row % box.x + i;
          const std::int64_t y = row / box.x % box.y + j;
          const std::int64_t z = row / box.x / box.y + k;
          if (x < 0 || x >= box.x || y < 0 || y >= box.y || z < 0 || z >= box.z) continue;
          if (!star || std::abs(i) + std::abs(j) + std::abs(k) <= 1) expected.push_back((z * box.y + y) * box.x + x);
        }
      }
    }
    ASSERT_EQ(row_of(matrix, row), expected) << row;
  }
}

TEST(Families, StencilsAreTheirPoints) {
  for (const std::int64_t wanted : {1, 1234, 20'000}) {
    const Crs five = generate("stencil-5", wanted);
    const Crs nine = generate("stencil-9", wanted);
    const Crs seven = generate("stencil-7", wanted);
    const Crs twenty_seven = generate("stencil-27", wanted);
    expect_stencil(five, {row_of(five, 0)[2], five.rows / row_of(five, 0)[2], 1}, true);
    expect_stencil(nine, {row_of(nine, 0)[2], nine.rows / row_of(nine, 0)[2], 1}, false);
    const auto near7 = row_of(seven, 0);
    expect_stencil(seven, {near7[2], near7[3] / near7[2], seven.rows / near7[3]}, true);
    const auto near27 = row_of(twenty_seven, 0);
    expect_stencil(twenty_seven, {near27[2], near27[4] / near27[2], twenty_seven.rows / near27[4]}, false);
  }
}

// The numbers are known from counting vertices, edges, triangles and tetrahedra.
TEST(Families, MeshesHaveTheEntriesThatTheirSimplicesCouple) {
  for (Pattern (*make)(double) :
       {stencil5, stencil9, stencil7, stencil27, elasticity, p1_triangles, p1_tetrahedra, p2_tetrahedra, flow, kkt}) {
    for (const double wanted : {1.0, 1e3, 3e4}) {
      const Pattern pattern = make(wanted);
      EXPECT_EQ(static_cast<double>(assemble(pattern).nonzeros()), pattern.nonzeros) << wanted;
    }
  }
}

TEST(Families, TheSmallestTetrahedralMeshIsOneCell) {
  const Crs linear = generate("p1-tetrahedra", 1);
  EXPECT_EQ(linear.rows, 9);
  EXPECT_EQ(statistics(linear).row_max, 9);              // the centre is coupled to all
  EXPECT_EQ(generate("p2-tetrahedra", 1).rows, 9 + 26);  // 12 edges, 6 diagonals, 8 from the centre
}

// By Euler, vertices - edges + triangles = 1; on a grid, every three vertices coupled to each other are a triangle of
// the mesh.
TEST(Families, TrianglesFillThePlane) {
  const Crs matrix = generate("p1-triangles", 3000);
  const auto meet = [&](std::int64_t a, std::int64_t b) {
    const auto columns = matrix.columns_of(a);
    return std::ranges::binary_search(columns, static_cast<std::int32_t>(b));
  };
  std::int64_t faces = 0;
  for (std::int64_t a = 0; a < matrix.rows; ++a) {
    for (const std::int64_t b : matrix.columns_of(a)) {
      for (const std::int64_t c : matrix.columns_of(a)) faces += a < b && b < c && meet(b, c) ? 1 : 0;
    }
  }
  const std::int64_t edges = (matrix.nonzeros() - matrix.rows) / 2;
  EXPECT_EQ(matrix.rows - edges + faces, 1);
  EXPECT_GT(statistics(matrix).row_cv, 0.1);  // not all cells are cut alike
}

// Returns, for each row, its length and the sum of its neighbours' lengths, sorted. These are equal for the same
// pattern in another numbering.
std::vector<std::pair<std::int64_t, std::int64_t>> invariants(const Crs& matrix) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  all.reserve(index(matrix.rows));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::int64_t sum = 0;
    for (const std::int64_t column : matrix.columns_of(row)) {
      sum += static_cast<std::int64_t>(matrix.columns_of(column).size());
    }
    all.emplace_back(matrix.columns_of(row).size(), sum);
  }
  std::ranges::sort(all);
  return all;
}

// Derives the nodes of quadratic elements from the couplings of linear ones, tetrahedron by tetrahedron, on 3 x 3 x 3
// points.
TEST(Families, QuadraticElementsAreOnTheLinearOnesMesh) {
  const Crs linear = generate("p1-tetrahedra", 343);
  ASSERT_EQ(linear.rows, 27 + 8);
  using Point = std::array<std::int64_t, 3>;
  const auto corner = [](const Point& at) { return at[2] * 13 + at[1] * 3 + at[0]; };
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> nodes;  // for each edge, by its two ends
  std::map<std::int64_t, std::set<std::int64_t>> coupled;
  const auto add = [&](const std::array<std::int64_t, 4>& tetrahedron) {
    std::set<std::int64_t> own;
    for (const std::int64_t a : tetrahedron) {
      for (const std::int64_t b : tetrahedron) {
        if (a <= b) own.insert(nodes.try_emplace({a, b}, static_cast<std::int64_t>(nodes.size())).first->second);
      }
    }
    for (const std::int64_t node : own) coupled[node].insert(own.begin(), own.end());
  };
  for (std::int64_t cell = 0; cell < 8; ++cell) {
    const Point low{cell % 2, cell / 2 % 2, cell / 4};
    const std::int64_t centre = low[2] * 13 + 9 + low[1] * 2 + low[0];
    for (std::size_t face = 0; face < 6; ++face) {
      std::array<std::int64_t, 4> around{};  // the face's corners in order
      for (std::size_t i = 0; i < 4; ++i) {
        Point at = low;
        at[face / 2] += static_cast<std::int64_t>(face % 2);
        at[(face / 2 + 1) % 3] += i == 1 || i == 2 ? 1 : 0;
        at[(face / 2 + 2) % 3] += i >= 2 ? 1 : 0;
        around[i] = corner(at);
      }
      const auto [a, b, c, d] = around;
      ASSERT_NE(std::ranges::count(row_of(linear, a), c), std::ranges::count(row_of(linear, b), d));
      if (std::ranges::count(row_of(linear, a), c) == 1) {
        add({a, b, c, centre});
        add({a, c, d, centre});
      } else {
        add({a, b, d, centre});
        add({b, c, d, centre});
      }
    }
  }
  Crs expected{.rows = static_cast<std::int64_t>(nodes.size()), .columns = 0, .start = {0}, .column = {}, .value = {}};
  for (const auto& [node, others] : coupled) {
    expected.column.insert(expected.column.end(), others.begin(), others.end());
    expected.start.push_back(static_cast<std::int64_t>(expected.column.size()));
  }
  EXPECT_EQ(invariants(generate("p2-tetrahedra", 4281)), invariants(expected));
}

TEST(Families, NumberingsAreOfTheSameMesh) {
  for (const std::string mesh : {"p1-triangles", "p1-tetrahedra", "p2-tetrahedra"}) {
    const Crs natural = generate(mesh, 60'000);
    const Crs rcm = generate(mesh + "-rcm", 60'000);
    const Crs random = generate(mesh + "-random", 60'000);
    EXPECT_EQ(invariants(rcm), invariants(natural)) << mesh;
    EXPECT_EQ(invariants(random), invariants(natural)) << mesh;
    EXPECT_EQ(footprint_of(mesh + "-rcm", 60'000) - footprint_of(mesh, 60'000),
              8.0 * static_cast<double>(rcm.rows + 1));
    EXPECT_LT(statistics(rcm).bandwidth, 4 * statistics(natural).bandwidth) << mesh;
    EXPECT_GT(statistics(random).bandwidth, natural.rows * 9 / 10) << mesh;
  }
}

Pattern graph(std::vector<std::vector<std::int32_t>> near) {
  const auto rows = static_cast<std::int64_t>(near.size());
  return {.rows = rows,
          .columns = rows,
          .nonzeros = 10.0,
          .symmetric = true,
          .row = [near = std::move(near)](std::int64_t row, std::vector<std::int32_t>& columns) {
            columns.insert(columns.end(), near[index(row)].begin(), near[index(row)].end());
          }};
}

TEST(Numbering, ReverseCuthillMcKeeGivesAPathItsOrder) {
  // 0 - 3 - 1 - 4 - 2, and 5 alone
  const Crs matrix = assemble(renumbered(graph({{3}, {3, 4}, {4}, {0, 1}, {1, 2}, {}}), Numbering::rcm));
  EXPECT_EQ(matrix.start, (std::vector<std::int64_t>{0, 0, 1, 3, 5, 7, 8}));
  EXPECT_EQ(matrix.column, (std::vector<std::int32_t>{2, 1, 3, 2, 4, 3, 5, 4}));
}

TEST(Numbering, ReverseCuthillMcKeeGoesToNeighboursOfFewFirst) {
  // 0 joined to 1, 2 and 3; 1 to 4 and 5; 2 to 6: found in the order 0, 3, 2, 1, 6, 4, 5
  const Crs matrix = assemble(renumbered(graph({{1, 2, 3}, {0, 4, 5}, {0, 6}, {0}, {1}, {1}, {2}}), Numbering::rcm));
  EXPECT_EQ(matrix.start, (std::vector<std::int64_t>{0, 1, 2, 3, 6, 8, 9, 12}));
  EXPECT_EQ(matrix.column, (std::vector<std::int32_t>{3, 3, 4, 0, 1, 6, 2, 6, 6, 3, 4, 5}));
}

TEST(Families, EdgesJoinNeighboursOnATorus) {
  const Crs matrix = generate("incidence", 3000);
  const std::int64_t side = row_of(matrix, 1)[1];
  for (std::int64_t vertex = 0; vertex < matrix.columns; ++vertex) {
    for (const std::int64_t edge : {0, 1, 2}) {
      std::vector ends = {vertex,
                          (vertex + std::vector{std::int64_t{1}, side, side + 1}[index(edge)]) % matrix.columns};
      std::ranges::sort(ends);
      ASSERT_EQ(row_of(matrix, 3 * vertex + edge), ends);
    }
  }
}

TEST(Families, BlocksAreFull) {
  for (const auto& [family, size] : std::vector<std::pair<std::string, std::int64_t>>{{"elasticity", 3}, {"flow", 4}}) {
    const Crs matrix = generate(family, 20'000);
    ASSERT_EQ(matrix.rows % size, 0);
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const auto columns = row_of(matrix, row);
      ASSERT_EQ(columns, row_of(matrix, row / size * size));
      ASSERT_EQ(columns.size() % index(size), 0U);
      for (std::size_t i = 0; i < columns.size(); ++i)
        ASSERT_EQ(columns[i] % size, static_cast<std::int64_t>(i) % size);
    }
  }
}

TEST(Families, FermionsMeetEightNeighboursAndThemselves) {
  const Crs matrix = generate("qcd", 200'000);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::set<std::int64_t> sites;
    for (const std::int64_t column : matrix.columns_of(row)) {
      if (column != row) sites.insert(column / 6);
    }
    ASSERT_EQ(sites.size(), 8U);
    ASSERT_FALSE(sites.contains(row / 6));
    ASSERT_EQ(matrix.columns_of(row).size(), 49U);
  }
}

TEST(Families, ASaddlePointHasNoDiagonalForItsMultipliers) {
  const Crs matrix = generate("kkt", 20'000);
  const std::int64_t points = matrix.rows / 3;
  for (std::int64_t row = 0; row < points; ++row) {
    ASSERT_EQ(row_of(matrix, points + row), (std::vector{points + row, 2 * points + row}));
    const auto multiplier = row_of(matrix, 2 * points + row);
    ASSERT_EQ(multiplier.back(), points + row);
    ASSERT_LT(multiplier[multiplier.size() - 2], points);
  }
}

TEST(Families, LookAsTheyAreMeantTo) {
  constexpr std::int64_t wanted = 200'000;
  const auto look = [](const std::string& family) { return statistics(generate(family, wanted)); };

  const Statistics random = look("erdos-renyi");
  EXPECT_NEAR(random.row_mean, 16.0, 0.2);
  EXPECT_NEAR(random.row_cv, 0.25, 0.01);  // Poisson distribution
  EXPECT_GT(random.bandwidth, random.rows * 9 / 10);

  const Statistics band = look("banded");
  EXPECT_LE(band.bandwidth, band.rows / 50);
  EXPECT_GE(band.bandwidth, band.rows / 50 - 1);

  const Statistics web = look("web");
  EXPECT_NEAR(static_cast<double>(web.empty_rows) / static_cast<double>(web.rows), 0.1, 0.01);
  EXPECT_GT(web.row_cv, 1.5);
  EXPECT_GT(web.row_max, 100);

  const Statistics roads = look("road");
  EXPECT_NEAR(roads.row_mean, 2.8, 0.05);
  EXPECT_EQ(roads.row_max, 4);

  const Statistics nets = look("circuit");
  EXPECT_NEAR(static_cast<double>(nets.row_max) / static_cast<double>(nets.rows), 0.25, 0.01);
  EXPECT_LT(nets.row_mean, 6.0);

  const Statistics cover = look("lp");
  EXPECT_GT(cover.columns, 10 * cover.rows);
  EXPECT_NEAR(cover.row_cv, 1.0, 0.1);  // exponential

  const Statistics ends = look("incidence");
  EXPECT_EQ(ends.rows, 3 * ends.columns);
  EXPECT_EQ(ends.row_max, 2);
  EXPECT_EQ(ends.row_cv, 0.0);

  const Statistics chain = look("protein");
  EXPECT_GT(chain.row_mean, 100.0);
  EXPECT_LT(chain.row_cv, 0.3);

  const Statistics full = look("dense");
  EXPECT_EQ(full.nonzeros, full.rows * full.columns);
  EXPECT_EQ(full.rows, full.columns);
}

TEST(Families, RMatFallsIntoQuartersByItsProbabilities) {
  const Crs matrix = generate("rmat", 1'000'000);
  std::array<double, 4> share{};
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (const std::int64_t column : matrix.columns_of(row)) {
      share[(row >= matrix.rows / 2 ? 2 : 0) + (column >= matrix.columns / 2 ? 1 : 0)] +=
          1.0 / static_cast<double>(matrix.nonzeros());
    }
  }
  // Duplicates, which count once, are mostly in the first quadrant.
  EXPECT_NEAR(share[0], 0.57, 0.04);
  EXPECT_NEAR(share[1], 0.19, 0.02);
  EXPECT_NEAR(share[2], 0.19, 0.02);
  EXPECT_NEAR(share[3], 0.05, 0.01);
  EXPECT_GT(statistics(matrix).row_cv, 3.0);
}

TEST(Draws, FollowPoisson) {
  for (const double mean : {0.0, 0.5, 3.0, 29.0, 31.0, 1000.0}) {
    constexpr int count = 20'000;
    double sum = 0.0;
    double squares = 0.0;
    Draws draws(5, 5);
    for (int i = 0; i < count; ++i) {
      const auto value = static_cast<double>(draws.poisson(mean));
      sum += value;
      squares += (value - mean) * (value - mean);
    }
    EXPECT_NEAR(sum / count, mean, 5.0 * std::sqrt(mean / count));
    EXPECT_NEAR(squares / count, mean, 5.0 * std::sqrt((2.0 * mean * mean + mean) / count));
  }
}

TEST(Draws, StayBelowTheEnd) {
  Draws draws(6, 6);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(draws.below(7));
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
  for (int i = 0; i < 1000; ++i) ASSERT_LT(draws.below(std::numeric_limits<std::int32_t>::max()), 0x7FFFFFFF);
}

}  // namespace
}  // namespace banzuke::spmv
