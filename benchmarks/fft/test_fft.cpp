#include <omp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "core/fft/testing.hpp"
#include "core/testing.hpp"
#include "fft.hpp"

namespace banzuke::fft {
namespace {

// Makes this backend's transform; null if its library is not installed.
std::unique_ptr<Fft> made(const Params& params) {
  try {
    return std::make_unique<Fft>(params, split(params.n, 1), alone());
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).find("cannot load") != std::string::npos) return nullptr;
    throw;
  }
}

const char* const no_library =
#if defined(__x86_64__)
    "the library is not installed";
#else
    "hardware: MKL is for x86-64, and there is no FFTW for another architecture";
#endif

TEST(Fft, IsTheDefinitions) {
  for (const std::int64_t n : {2, 3, 6, 8, 30, 64, 100, 120, 625, 1000, 1024, 1080}) {
    for (const int threads : {1, 2, 3, 4}) {
      for (const char* stores : {"nontemporal", "plain"}) {
        omp_set_num_threads(threads);
        const auto fft = made({.n = n, .stores = stores, .planning = "estimate"});
        if (!fft) GTEST_SKIP() << no_library;
        const std::vector<Complex> in = numbers(n);
        std::ranges::copy(in, fft->in());
        fft->run();
        const std::vector<Complex> out(fft->out(), fft->out() + n);
        EXPECT_LE(relative_error(out, transformed(in)), 6e-16) << n << " on " << threads << " threads, " << stores;
      }
    }
  }
}

TEST(Fft, ErrorsGrowSlowly) {
  const auto fft = made({.n = 1 << 16, .planning = "estimate"});
  if (!fft) GTEST_SKIP() << no_library;
  fft->fill();
  fft->run();
  EXPECT_LE(inverse_error(*fft, alone()), 1.0);
  EXPECT_LE(pulse_error(*fft, alone()), 1.0);
}

TEST(Fft, ErrorsGrowAsTheSquareRootOfTheLogarithm) {
  for (const std::int64_t n : {1 << 10, 1 << 15, 59049, 15625, 90000}) {
    const auto fft = made({.n = n, .planning = "estimate"});
    if (!fft) GTEST_SKIP() << no_library;
    const std::vector<Complex> in = numbers(n);
    std::ranges::copy(in, fft->in());
    fft->run();
    const std::vector<Complex> out(fft->out(), fft->out() + n);
    EXPECT_LE(relative_error(out, transformed(in)), 2e-16 * std::sqrt(std::log2(static_cast<double>(n)))) << n;
  }
}

TEST(Reference, IsTheDefinition) {
  for (const std::int64_t n : {1, 2, 5, 7, 12, 30}) {
    std::vector<Wide> x;
    x.reserve(static_cast<std::size_t>(n));
    for (const Complex& one : numbers(n)) x.emplace_back(one.re, one.im);
    const std::vector<Wide> found = transformed(x);
    for (std::int64_t k = 0; k < n; ++k) {
      Wide sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const long double angle =
            -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k) / static_cast<long double>(n);
        sum += x[static_cast<std::size_t>(j)] * std::polar(1.0L, angle);
      }
      EXPECT_LE(std::abs(found[static_cast<std::size_t>(k)] - sum), 4e-17L) << n;
    }
  }
}

// The checks detect a single number, anywhere, that is wrong by more than rounding explains.
TEST(Fft, ChecksSeeOneWrongNumber) {
  const auto fft = made({.n = 1000, .planning = "estimate"});
  if (!fft) GTEST_SKIP() << no_library;
  for (const std::int64_t at : {0, 1, 499, 999}) {
    fft->fill();
    fft->run();
    fft->out()[at].im += 1e-10;
    EXPECT_GT(inverse_error(*fft, alone()), inverse_tolerance) << at;
    fft->fill();
    fft->run();
    fft->out()[at].re = std::nan("");
    EXPECT_FALSE(inverse_error(*fft, alone()) <= inverse_tolerance) << at;
  }
}

// A number that is wrong by n d makes every number of the inverse wrong by d; HPCC's unit is 2^-53.
TEST(Fft, ErrorsAreInTheUnitOfHpcc) {
  constexpr double n = 1 << 10;
  constexpr double d = 1e-6;
  const auto fft = made({.n = 1 << 10, .planning = "estimate"});
  if (!fft) GTEST_SKIP() << no_library;
  fft->fill();
  fft->run();
  fft->out()[5].re += n * d;
  EXPECT_NEAR(inverse_error(*fft, alone()) * std::log(n) * 0x1p-53 / d, 1.0, 1e-6);
}

TEST(Split, IsEvenAndDividedByTheRanks) {
  EXPECT_EQ(split(1 << 20, 1).n1, 1 << 10);
  EXPECT_EQ(split(2, 1).n(), 2);
  for (const int ranks : {1, 2, 3, 4, 5, 6, 8, 1000}) {
    for (const std::int64_t inner : {1, 2, 30, 1000, 1 << 14, 59049}) {
      const Split found = split(inner * ranks * ranks, ranks);
      EXPECT_EQ(found.n(), inner * ranks * ranks);
      EXPECT_EQ(found.n1 % ranks + found.n2 % ranks, 0);
    }
  }
  const Split report = split(3'200'000'000, 8);  // of the Oakleaf-FX report
  EXPECT_LE(std::max(report.n1, report.n2), 2 * std::min(report.n1, report.n2));
}

// The refusal names the nearest accepted sizes: these are accepted, and nothing between them is.
TEST(Split, TellsWhatItTakesInstead) {
  for (const int ranks : {1, 2, 8}) {
    for (const std::int64_t n : {7, 14, 1001, 1'000'003}) {
      try {
        split(n, ranks);
        ADD_FAILURE() << n;
      } catch (const UsageError& error) {
        for (const auto& values : error.nearest()) {
          const auto other = std::stoll(values.front().second.dump());
          EXPECT_EQ(split(other, ranks).n(), other);
          for (std::int64_t between = std::min<std::int64_t>(other, n) + 1; between < std::max<std::int64_t>(other, n);
               ++between) {
            EXPECT_THROW(split(between, ranks), UsageError) << between;
          }
        }
        EXPECT_FALSE(error.nearest().empty());
      }
    }
  }
  EXPECT_THROW(split(49, 7), UsageError);
  EXPECT_THROW(split(4096, 2'000'000'000), UsageError);  // no length is a multiple of their square
}

TEST(Work, AgreesWithCountingByHand) {
  const Work alone = work(1 << 10);
  EXPECT_EQ(alone.counted, 51200.0);
  EXPECT_EQ(demanded(alone, "memory.bytes"), 65536.0);
  EXPECT_EQ(demanded(alone, "flops.fp64"), 51200.0);
  EXPECT_EQ(demanded(alone, "flops.fft"), of_devices ? 0.0 : 51200.0);
  const std::size_t own = of_devices ? 2 : 3;
  EXPECT_EQ(alone.demand.size(), own);
  EXPECT_EQ(work(1 << 10, 8, 8, 3).demand.size(), own);
  // Two hosts with four ranks each send 4 x 4 parts of 16 numbers of 16 bytes.
  const Work apart = work(1 << 10, 8, 4, 3);
  EXPECT_EQ(demanded(apart, "link.bytes"), 3 * 16 * 16 * 16.0);
  EXPECT_EQ(apart.demand.back().busiest, "host");
}

TEST(Orders, NumberEveryElementOnce) {
  for (const Order& order : {Order{.natural = false, .columns = 6, .own = 2, .first = 4}, Order{.first = 12}}) {
    std::vector<std::int64_t> found;
    found.reserve(6);
    for (std::int64_t i = 0; i < 6; ++i) found.push_back(order.index(i));
    EXPECT_EQ(found, order.natural ? (std::vector<std::int64_t>{12, 13, 14, 15, 16, 17})
                                   : (std::vector<std::int64_t>{4, 5, 10, 11, 16, 17}));
  }
}

}  // namespace
}  // namespace banzuke::fft
