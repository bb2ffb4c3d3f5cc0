#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "kernel_choice.hpp"
#include "sell.hpp"
#include "testing.hpp"

namespace banzuke::hpcg {
namespace {

constexpr double rounding = 1e-13;

// A matrix stored as in the solver.
struct Stored {
  explicit Stored(Crs matrix) : a(std::move(matrix)), layout(dependency_levels(a), 1), size(layout.chunks() * lanes) {
    const std::vector<std::int64_t> cuts{0, layout.chunks()};
    const auto some = [this](bool later) {
      return [this, later](std::int32_t row, std::int32_t column) {
        const bool wanted = column < a.rows && (later ? layout.before(row, column) : layout.before(column, row));
        return wanted ? layout.place_of(column) : -1;
      };
    };
    lower = std::make_unique<Sell>(a, layout.row, cuts, size, some(false));
    upper = std::make_unique<Sell>(a, layout.row, cuts, size, some(true));
  }

  // Returns the sum over the row's entries in earlier or in later stages.
  double side(std::int32_t row, bool later, const std::vector<double>& x) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.columns_of(row).size(); ++k) {
      const auto column = a.columns_of(row)[k];
      if (column >= a.rows || !(later ? layout.before(row, column) : layout.before(column, row))) continue;
      sum += a.values_of(row)[k] * x[layout.place_of(column)];
    }
    return sum;
  }

  template <class Expected>
  void expect(const std::vector<double>& got, const char* what, const char* isa, const Expected& expected) const {
    for (std::int64_t place = 0; place < size; ++place) {
      const auto row = layout.row[place];
      if (row < 0) continue;
      const double right = expected(row, place);
      EXPECT_LE(std::abs(got[place] - right), rounding * (1.0 + std::abs(right)))
          << what << ", " << isa << ", row " << row;
    }
  }

  Crs a;
  Layout layout;
  std::unique_ptr<Sell> lower;
  std::unique_ptr<Sell> upper;
  std::int64_t size;
};

std::vector<Crs> matrices() {
  std::vector<Crs> out;
  out.push_back(random_matrix(1, 0, false, 0, 1));
  out.push_back(random_matrix(13, 4, false, 0, 2));
  out.push_back(random_matrix(203, 11, true, 9, 3));
  return out;
}

TEST(Kernels, DoWhatTheirLoopsSay) {
  for (auto& matrix : matrices()) {
    const Stored s(std::move(matrix));
    const auto x = random_values(s.size, 5);
    const auto d = [&] {
      auto out = random_values(s.size, 6);
      for (auto& one : out) one += 3.0;
      return out;
    }();
    const auto r = random_values(s.size, 7);
    const auto chunks = s.layout.chunks();
    const Entries l = s.lower->entries();
    const Entries u = s.upper->entries();
    for (const auto* kernels : available_kernels()) {
      std::vector<double> y(x.size());
      kernels->multiply(0, chunks, l, u, d.data(), x.data(), y.data());
      s.expect(y, "multiply", kernels->name, [&](std::int32_t row, std::int64_t place) {
        return d[place] * x[place] + s.side(row, false, x) + s.side(row, true, x);
      });
      kernels->sum(0, chunks, l, x.data(), y.data());
      s.expect(y, "sum", kernels->name, [&](std::int32_t row, std::int64_t) { return s.side(row, false, x); });

      // Stage by stage, so that later stages use the results of earlier ones.
      auto forwards = x;
      for (std::int64_t stage = 0; stage < s.layout.stages(); ++stage) {
        const auto& first = s.layout.first[0];
        kernels->forward_from_zero(first[stage], first[stage + 1], l, d.data(), r.data(), forwards.data());
      }
      s.expect(forwards, "forward from zero", kernels->name, [&](std::int32_t row, std::int64_t place) {
        return (r[place] - s.side(row, false, forwards)) / d[place];
      });
      auto backwards = forwards;
      std::vector<double> later(x.size());
      for (std::int64_t stage = s.layout.stages(); stage-- > 0;) {
        const auto& first = s.layout.first[0];
        kernels->backward_from_zero(first[stage], first[stage + 1], u, d.data(), later.data(), backwards.data());
      }
      s.expect(later, "later sums", kernels->name,
               [&](std::int32_t row, std::int64_t) { return s.side(row, true, backwards); });
      s.expect(backwards, "backward from zero", kernels->name, [&](std::int32_t row, std::int64_t place) {
        return (r[place] - s.side(row, false, forwards) - s.side(row, true, backwards)) / d[place];
      });
    }
  }
}

TEST(Kernels, SweepsTakeUpCorrectionsAndTheOutside) {
  for (auto& matrix : matrices()) {
    const Stored s(std::move(matrix));
    const auto chunks = s.layout.chunks();
    const auto d = std::vector<double>(static_cast<std::size_t>(s.size), 5.0);
    const auto r = random_values(s.size, 7);
    const auto later = random_values(s.size, 8);
    const auto correction = random_values(s.size, 9);
    // Every second chunk has contributions from outside.
    std::vector<std::int32_t> slot(static_cast<std::size_t>(chunks), -1);
    for (std::int64_t chunk = 0; chunk < chunks; chunk += 2) slot[chunk] = static_cast<std::int32_t>(chunk / 2);
    const auto sums = random_values((chunks + 1) / 2 * lanes, 10);
    const auto outside = [&](std::int64_t place) {
      const auto at = slot[place / lanes];
      return at < 0 ? 0.0 : sums[at * lanes + place % lanes];
    };
    for (const auto* kernels : available_kernels()) {
      std::vector<double> x(static_cast<std::size_t>(s.size));
      std::vector<double> known(x.size());
      const Sweep sweep{
          .d = d.data(), .r = r.data(), .later = later.data(), .correction = correction.data(), .known = known.data()};
      const auto& first = s.layout.first[0];
      for (std::int64_t stage = 0; stage < s.layout.stages(); ++stage) {
        kernels->forward(first[stage], first[stage + 1], s.lower->entries(), s.upper->entries(),
                         {slot.data(), sums.data()}, sweep, x.data());
      }
      s.expect(known, "known", kernels->name,
               [&](std::int32_t row, std::int64_t place) { return r[place] - s.side(row, false, x) - outside(place); });
      s.expect(x, "forward", kernels->name, [&](std::int32_t row, std::int64_t place) {
        return (known[place] - later[place] - s.side(row, true, correction)) / d[place];
      });
      for (std::int64_t stage = s.layout.stages(); stage-- > 0;) {
        kernels->backward(first[stage], first[stage + 1], s.upper->entries(), d.data(), known.data(), x.data());
      }
      s.expect(x, "backward", kernels->name,
               [&](std::int32_t row, std::int64_t place) { return (known[place] - s.side(row, true, x)) / d[place]; });
    }
  }
}

// The columns of one row, and those of adjacent rows, are further apart than 16-bit offsets allow.
TEST(Sell, HoldsColumnsThatAreFarApart) {
  constexpr std::int64_t rows = 20;
  constexpr std::int64_t columns = 300'000;
  Crs a;
  a.rows = rows;
  a.columns = columns;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (const std::int32_t column : {row, 65535 + row * 7000, 150'000, 299'999 - row}) {
      a.column.push_back(column);
      a.value.push_back(1.0 + row + 1e-6 * column);
    }
    a.start.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  std::vector<std::int32_t> row(24, -1);
  std::iota(row.begin(), row.begin() + rows, 0);
  const std::vector<std::int64_t> cuts{0, 1, 3};
  const Sell sell(a, row, cuts, columns, [](std::int32_t, std::int32_t column) { return column; });
  const auto x = random_values(columns, 1);
  for (const auto* kernels : available_kernels()) {
    std::vector<double> y(24);
    kernels->sum(0, 3, sell.entries(), x.data(), y.data());
    for (std::int64_t i = 0; i < rows; ++i) {
      double right = 0.0;
      for (std::size_t k = 0; k < 4; ++k) right += a.values_of(i)[k] * x[a.columns_of(i)[k]];
      EXPECT_NEAR(y[i], right, 100 * rounding) << kernels->name << ", row " << i;
    }
  }
}

// The columns of a chunk's rows are in one run, in two, in two of which a row lacks entries, and in three.
TEST(Sell, HasABaseForEachOfTwoRuns) {
  constexpr std::int64_t rows = 32;
  Crs a;
  a.rows = rows;
  a.columns = 400;
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::int32_t line = (row >= 11 ? 1 : 0) + (row >= 18 ? 1 : 0) + (row >= 26 ? 1 : 0) + (row >= 29 ? 1 : 0);
    for (const std::int32_t column : {40 + row + 5 * line, 120 + row + 9 * line, 250 + row + 20 * line}) {
      if (row == 20 && column < 200) continue;
      a.column.push_back(column);
      a.value.push_back(1.0 + row + 0.01 * column);
    }
    a.start.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  std::vector<std::int32_t> row(rows);
  std::iota(row.begin(), row.end(), 0);
  const std::vector<std::int64_t> cuts{0, 1, 4};
  const Sell sell(a, row, cuts, a.columns, [](std::int32_t, std::int32_t column) { return column; });
  const Entries entries = sell.entries();
  const std::vector<std::uint32_t> splits{8, 3, 2, 0};
  for (std::size_t chunk = 0; chunk < splits.size(); ++chunk) {
    EXPECT_EQ(entries.chunk[chunk].split, splits[chunk]) << chunk;
    EXPECT_EQ(entries.chunk[chunk].slot, 3 * chunk);
  }
  EXPECT_EQ(entries.chunk[2].more, 3U) << "only slots of two runs have a second base";
  EXPECT_EQ(entries.chunk[3].more, 0U) << "only slots of columns that are apart have offsets";
  // What may not be read is not.
  const Sell short_of_places(a, row, cuts, 257, [](std::int32_t, std::int32_t column) { return column; });
  EXPECT_EQ(short_of_places.entries().chunk[0].split, 0U);

  const std::vector<double> d(rows, 2.0);
  const std::vector<double> known(rows, 1.0);
  for (const auto* kernels : available_kernels()) {
    auto x = random_values(a.columns, 1);
    std::vector<double> right(rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto columns = a.columns_of(i);
      for (std::size_t k = 0; k < columns.size(); ++k) right[index(i)] += a.values_of(i)[k] * x[index(columns[k])];
    }
    std::vector<double> y(rows);
    kernels->sum(0, 4, entries, x.data(), y.data());
    kernels->backward(0, 4, entries, d.data(), known.data(), x.data());
    for (std::size_t i = 0; i < rows; ++i) {
      EXPECT_NEAR(y[i], right[i], 100 * rounding) << kernels->name << ", row " << i;
      EXPECT_NEAR(x[i], (1.0 - right[i]) / 2.0, 100 * rounding) << kernels->name << ", row " << i;
    }
  }
}

TEST(Kernels, VectorLoops) {
  for (const auto* kernels : available_kernels()) {
    for (const std::int64_t n : {0, 8, 16, 40}) {
      const auto p = random_values(n + 8, 1);
      const auto q = random_values(n + 8, 2);
      double right = 0.0;
      for (std::int64_t i = 8; i < n + 8; ++i) right += p[i] * q[i];
      EXPECT_NEAR(kernels->dot(8, n + 8, p.data(), q.data()), right, rounding) << kernels->name << " " << n;
      auto y = q;
      kernels->scale_add(8, n + 8, 0.5, p.data(), y.data());
      auto x = p;
      auto r = q;
      kernels->step(8, n + 8, 0.25, q.data(), p.data(), x.data(), r.data());
      for (std::int64_t i = 0; i < n + 8; ++i) {
        EXPECT_NEAR(y[i], i < 8 ? q[i] : p[i] + 0.5 * q[i], rounding);
        EXPECT_NEAR(x[i], i < 8 ? p[i] : p[i] + 0.25 * q[i], rounding);
        EXPECT_NEAR(r[i], i < 8 ? q[i] : q[i] - 0.25 * p[i], rounding);
      }
    }
  }
}

}  // namespace
}  // namespace banzuke::hpcg
