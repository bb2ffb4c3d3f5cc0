#include <algorithm>
#include <array>
#include <cstdint>

#include "core/array.hpp"
#include "core/fft/batch.hpp"
#include "core/fft/roots.hpp"
#include "core/fft/testing.hpp"

namespace banzuke::fft {
namespace {

constexpr double rounding = 4e-16;

std::vector<std::int64_t> lengths(std::int64_t most) {
  std::vector<std::int64_t> out;
  for (std::int64_t n = 1; n <= most; ++n) {
    std::int64_t rest = n;
    for (const int prime : {2, 3, 5}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest == 1) out.push_back(n);
  }
  return out;
}

std::vector<std::int64_t> tested_lengths() {
  std::vector<std::int64_t> all = lengths(130);
  all.insert(all.end(), {243, 512, 625, 1000, 1024, 1080});
  return all;
}

// Element i of the transform in lane `lane`.
Complex element(std::int64_t i, int lane) { return number(i * lanes + lane); }

void fill(Array<Lanes>& x, bool exchanged) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int lane = 0; lane < lanes; ++lane) {
      const Complex value = element(static_cast<std::int64_t>(i), lane);
      x[i].re[lane] = exchanged ? value.im : value.re;
      x[i].im[lane] = exchanged ? value.re : value.im;
    }
  }
}

TEST(Batch, TransformsEveryLaneByItself) {
  for (const Kernels* kernels : available_kernels()) {
    for (const std::int64_t n : tested_lengths()) {
      const Batch batch(n);
      Array<Lanes> x(static_cast<std::size_t>(n));
      fill(x, false);
      batch.run(*kernels, x.data());
      for (const int lane : {0, 5, 7}) {
        std::vector<Complex> in;
        std::vector<Complex> out;
        for (std::int64_t i = 0; i < n; ++i) {
          const Lanes& found = x[static_cast<std::size_t>(batch.place()[i])];
          in.push_back(element(i, lane));
          out.push_back({found.re[lane], found.im[lane]});
        }
        EXPECT_LE(relative_error(out, transformed(in)), rounding) << kernels->name << ", " << n << ", lane " << lane;
      }
    }
  }
}

TEST(Batch, TransformsOtherRowsAndColumnsLikeItsOwn) {
  constexpr std::int64_t stride = lanes + 3;
  for (const Kernels* kernels : available_kernels()) {
    for (const std::int64_t n : tested_lengths()) {
      const Batch batch(n);
      const auto size = static_cast<std::size_t>(n);
      Array<Lanes> in(size);
      fill(in, false);
      Array<Complex> columns(size * stride + 1);
      for (std::int64_t i = 0; i < n * lanes; ++i) {
        columns[static_cast<std::size_t>(i / lanes * stride + i % lanes + 1)] =
            element(i / lanes, static_cast<int>(i % lanes));
      }
      Array<Lanes> x(size);
      Array<Lanes> of_rows(size);
      Array<Lanes> of_columns(size);
      fill(x, false);
      batch.run(*kernels, x.data());
      batch.run(*kernels, in.data(), of_rows.data());
      batch.run(*kernels, columns.data() + 1, stride, of_columns.data());
      double largest = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        for (const Array<Lanes>* other : {&of_rows, &of_columns}) {
          const Lanes& found = (*other)[i];
          for (int lane = 0; lane < lanes; ++lane) {
            largest = std::max(largest, std::hypot(found.re[lane] - x[i].re[lane], found.im[lane] - x[i].im[lane]));
          }
        }
      }
      EXPECT_LE(largest, 1e-13) << kernels->name << ", " << n;
    }
  }
}

TEST(Batch, IsItsOwnInverseWithPartsExchanged) {
  for (const Kernels* kernels : available_kernels()) {
    for (const std::int64_t n : tested_lengths()) {
      const Batch batch(n);
      Array<Lanes> x(static_cast<std::size_t>(n));
      fill(x, true);
      std::vector<Wide> conjugate;
      conjugate.reserve(x.size());
      for (std::int64_t i = 0; i < n; ++i) conjugate.emplace_back(element(i, 3).re, -element(i, 3).im);
      batch.run(*kernels, x.data());
      std::vector<Complex> found;
      for (std::int64_t i = 0; i < n; ++i) {
        const Lanes& at = x[static_cast<std::size_t>(batch.place()[i])];
        found.push_back({at.im[3], -at.re[3]});
      }
      EXPECT_LE(relative_error(found, transformed(conjugate)), rounding) << kernels->name << ", " << n;
    }
  }
}

TEST(Batch, TransformsTwoRealSeriesAsOne) {
  constexpr double scale = 0.75;
  for (const Kernels* kernels : available_kernels()) {
    for (const std::int64_t n : tested_lengths()) {
      const Batch batch(n);
      const std::int64_t count = n / 2 + 1;
      Array<Lanes> x(static_cast<std::size_t>(n));
      Array<Lanes> a(static_cast<std::size_t>(count));
      Array<Lanes> b(static_cast<std::size_t>(count));
      fill(x, false);
      batch.run(*kernels, x.data());
      kernels->apart(x.data(), batch.place(), n, count, scale, a.data(), b.data());
      for (const int lane : {0, 5, 7}) {
        for (const bool second : {false, true}) {
          std::vector<Wide> real;
          real.reserve(x.size());
          for (std::int64_t i = 0; i < n; ++i) {
            real.emplace_back(scale * (second ? element(i, lane).im : element(i, lane).re));
          }
          std::vector<Complex> found;
          for (std::int64_t k = 0; k < count; ++k) {
            const Lanes& at = (second ? b : a)[static_cast<std::size_t>(k)];
            found.push_back({at.re[lane], at.im[lane]});
          }
          std::vector<Wide> known = transformed(real);
          known.resize(found.size());
          EXPECT_LE(relative_error(found, known), 2 * rounding) << kernels->name << ", " << n << ", lane " << lane;
        }
      }
    }
  }
}

TEST(Batch, RefusesOtherFactors) { EXPECT_THROW(Batch(14), std::invalid_argument); }

TEST(Roots, AreRoundedOnce) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 12, 1000, 1 << 20}) {
    for (std::int64_t m = 0; m < n; m += 1 + n / 1000) {
      const long double angle =
          -2 * std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(n);
      const Complex found = root(m, n);
      EXPECT_LE(std::abs(static_cast<double>(found.re - std::cos(angle))), 0.51 * 0x1p-53) << m << " of " << n;
      EXPECT_LE(std::abs(static_cast<double>(found.im - std::sin(angle))), 0.51 * 0x1p-53) << m << " of " << n;
    }
  }
  EXPECT_EQ(root(1, 4).re, 0.0);
  EXPECT_EQ(root(3, 8).re, root(3, 8).im);
}

TEST(Roots, OfTheTablesAreAsGoodAsOneProduct) {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{6}, std::int64_t{1'000'000}, std::int64_t{1} << 40}) {
    const Roots roots(n);
    for (std::int64_t i = 0; i < 2000; ++i) {
      const std::int64_t m = i < 1000 ? std::min(i, n - 1) : n - 1 - (i * 7919 % n) * (n / 2001) % n;
      const Complex found = roots(m);
      const Complex known = root(m, n);
      EXPECT_LE(std::hypot(found.re - known.re, found.im - known.im), 4e-16) << m << " of " << n;
    }
  }
}

TEST(Rearranging, LoadsAndStoresAnyWidthAndAlignment) {
  constexpr std::int64_t rows = 5;
  constexpr std::int64_t stride = 11;
  const std::array<std::int32_t, rows> place{3, 1, 4, 0, 2};
  for (const Kernels* kernels : available_kernels()) {
    for (int width = 1; width <= lanes; ++width) {
      for (const int offset : {0, 1}) {
        for (const bool past_caches : {false, true}) {
          Array<Complex> from(64);
          Array<Complex> to(64);
          for (std::int64_t i = 0; i < 64; ++i) from[static_cast<std::size_t>(i)] = number(i);
          std::array<Lanes, rows> x{};
          kernels->load(from.data() + offset, stride, rows, width, x.data());
          kernels->store(x.data(), place.data(), rows, width, stride, to.data() + offset, past_caches);
          for (std::int64_t row = 0; row < rows; ++row) {
            for (int lane = 0; lane < stride; ++lane) {
              const auto at = static_cast<std::size_t>(offset + row * stride + lane);
              const auto source =
                  static_cast<std::size_t>(offset + place.at(static_cast<std::size_t>(row)) * stride + lane);
              EXPECT_EQ(to[at].re, lane < width ? from[source].re : 0.0) << kernels->name << " width " << width;
              EXPECT_EQ(to[at].im, lane < width ? from[source].im : 0.0) << kernels->name << " width " << width;
            }
          }
        }
      }
    }
  }
}

TEST(Rearranging, TurnsLanesIntoElementsTimesTheirFactors) {
  constexpr std::size_t k = fine_factors - 4;  // a block of fine factors ends within the rows
  std::array<Lanes, lanes> x{};
  std::array<Lanes, 2> coarse{};
  std::array<Lanes, fine_factors> fine{};
  const auto filled = [](auto& rows, std::int64_t from) {
    for (Lanes& row : rows) {
      for (int lane = 0; lane < lanes; ++lane, ++from) {
        row.re[lane] = number(from).re;
        row.im[lane] = number(from).im;
      }
    }
  };
  filled(x, 0);
  filled(coarse, 100);
  filled(fine, 200);
  const std::array<std::int32_t, lanes> order{6, 2, 7, 1, 0, 5, 3, 4};
  std::array<std::int32_t, k + lanes> place{};
  std::ranges::copy(order, place.begin() + k);
  for (const Kernels* kernels : available_kernels()) {
    for (const int count : {1, 7, 8}) {
      for (const int width : {1, 8}) {
        for (const bool past_caches : {false, true}) {
          Array<Lanes> turned(lanes);
          Array<Lanes> out(lanes);
          kernels->transpose(x.data(), order.data(), count, turned.data());
          kernels->turn(x.data(), place.data(), k, count, coarse.data(), fine.data(), width, out.data(), past_caches);
          for (int lane = 0; lane < lanes; ++lane) {
            for (int i = 0; i < lanes; ++i) {
              const auto where = testing::Message() << kernels->name << ' ' << lane << ' ' << i;
              const bool there = i < count;
              const Complex of = number(order.at(static_cast<std::size_t>(i)) * lanes + lane);
              const Lanes& same = turned[static_cast<std::size_t>(lane)];
              EXPECT_EQ(same.re[i], there ? of.re : 0.0) << where;
              EXPECT_EQ(same.im[i], there ? of.im : 0.0) << where;
              const std::int64_t row = static_cast<std::int64_t>(k) + i;
              const Complex a = number(100 + row / fine_factors * lanes + lane);
              const Complex b = number(200 + row % fine_factors * lanes + lane);
              const Wide known = Wide(of.re, of.im) * Wide(a.re, a.im) * Wide(b.re, b.im);
              const Lanes& found = out[static_cast<std::size_t>(lane)];
              EXPECT_LE(distance({found.re[i], found.im[i]}, there && lane < width ? known : Wide(0)), 1e-16) << where;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace banzuke::fft
