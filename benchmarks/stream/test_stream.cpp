#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <vector>

#include "core/isa.hpp"
#include "core/thread_rates.hpp"
#include "loops.hpp"
#include "stream.hpp"

namespace banzuke::stream {
namespace {

Read reader(const Stream& stream) {
  return [&](std::size_t array, const Piece& piece) { stream.read(array, piece); };
}

// Returns the dot products of all rounds.
std::vector<double> rounds(Stream& stream, int count) {
  std::vector<double> dots;
  stream.calibrate();
  for (int i = 0; i < count; ++i) {
    for (const Kernel kernel : kernels) stream.run(kernel);
    dots.push_back(stream.dot());
  }
  return dots;
}

class Sizes : public ::testing::TestWithParam<std::tuple<std::int64_t, std::string, int>> {};

TEST_P(Sizes, AgreesWithTheScalars) {
  const auto [n, stores, threads] = GetParam();
  omp_set_num_threads(threads);
  Stream stream({.n = n, .rounds = 3, .stores = stores});
  const auto dots = rounds(stream, 3);
  EXPECT_LE(error(reader(stream), 3), tolerance);
  EXPECT_LE(dot_error(dots, n), dot_tolerance(n));
}

INSTANTIATE_TEST_SUITE_P(Awkward, Sizes,
                         ::testing::Combine(::testing::Values(1, 2, 7, 8, 9, 31, 33, 63, 64, 65, 1000, 4099, 100003),
                                            ::testing::Values("nontemporal", "plain"), ::testing::Values(1, 2, 5)));

TEST(Shares, MayBeUnequal) {
  omp_set_num_threads(3);
  share_by({1.0, 0.05, 0.5});
  for (const std::int64_t n : {7, 65, 4099}) {
    Stream stream({.n = n, .rounds = 3, .stores = "nontemporal"});
    const auto dots = rounds(stream, 3);
    EXPECT_LE(error(reader(stream), 3), tolerance);
    EXPECT_LE(dot_error(dots, n), dot_tolerance(n));
  }
  share_by({});
}

// Each instruction set that this processor runs, not only the widest.
struct Set {
  Isa isa;
  const Loops* (*loops)(Stores);
};

std::vector<Set> sets() {
#if defined(__x86_64__)
  return {{Isa::plain, plain_loops}, {Isa::avx2, avx2_loops}, {Isa::avx512, avx512_loops}};
#elif defined(__aarch64__)
  return {{Isa::plain, plain_loops}, {Isa::neon, neon_loops}, {Isa::sve, sve_loops}};
#else
  return {{Isa::plain, plain_loops}};
#endif
}

TEST(Loops, EveryInstructionSetComputesTheSame) {
  int tried = 0;
  for (const auto& set : sets()) {
    for (const Stores stores : {Stores::nontemporal, Stores::plain}) {
      const Loops* loops = runs(set.isa) ? set.loops(stores) : nullptr;
      if (loops == nullptr) continue;
      ++tried;
      for (const std::size_t n : {0U, 1U, 5U, 31U, 32U, 40U, 257U, 1030U}) {
        alignas(64) static std::array<double, 1100> a;
        alignas(64) static std::array<double, 1100> b;
        alignas(64) static std::array<double, 1100> c;
        for (std::size_t i = 0; i < a.size(); ++i) {
          a[i] = static_cast<double>(i) + 0.25;
          b[i] = -1.0;
          c[i] = -2.0;
        }
        const auto guard = [&](const char* kernel) {
          for (std::size_t i = n; i < a.size(); ++i) {
            ASSERT_EQ(a[i], static_cast<double>(i) + 0.25) << kernel << ' ' << loops->name;
            ASSERT_EQ(b[i], -1.0) << kernel << ' ' << loops->name;
            ASSERT_EQ(c[i], -2.0) << kernel << ' ' << loops->name;
          }
        };
        loops->copy(c.data(), a.data(), n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], static_cast<double>(i) + 0.25) << loops->name;
        guard("copy");
        loops->scale(b.data(), c.data(), n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(b[i], 3.0 * (static_cast<double>(i) + 0.25)) << loops->name;
        guard("scale");
        loops->add(c.data(), a.data(), b.data(), n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], 4.0 * (static_cast<double>(i) + 0.25)) << loops->name;
        guard("add");
        loops->triad(a.data(), b.data(), c.data(), n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(a[i], 15.0 * (static_cast<double>(i) + 0.25)) << loops->name;
        for (std::size_t i = n; i < a.size(); ++i) ASSERT_EQ(a[i], static_cast<double>(i) + 0.25) << loops->name;
        for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<double>(n - i);
        // sum of 15 (i + 1/4) (n - i), exact in doubles
        const auto m = static_cast<double>(n);
        const double expected = 15.0 * ((m * m * m - m) / 6.0 + m * (m + 1.0) / 8.0);
        ASSERT_EQ(loops->dot(a.data(), b.data(), n), expected) << loops->name << ' ' << n;
      }
    }
  }
  EXPECT_GE(tried, 1);
}

TEST(Error, SeesOneWrongElement) {
  constexpr std::size_t n = 1000;
  std::vector<double> a(n, 30.0);
  std::vector<double> b(n, 6.0);
  std::vector<double> c(n, 8.0);
  // In two pieces; the wrong element is in the second.
  const Read of_arrays = [&](std::size_t array, const Piece& piece) {
    const std::span<const double> all = *std::array{&a, &b, &c}[array];
    piece(all.first(n / 3));
    piece(all.subspan(n / 3));
  };
  EXPECT_EQ(error(of_arrays, 1), 0.0);
  b[n - 1] *= 1.0 + 1e-9;
  EXPECT_GT(error(of_arrays, 1), tolerance);
  b[n - 1] = std::nan("");
  EXPECT_TRUE(std::isnan(error(of_arrays, 1)));
}

TEST(DotError, SeesAMissingElementAndNaN) {
  constexpr std::int64_t n = 100'000'000;
  const double first = 30.0 * 6.0;  // a and b after a round
  EXPECT_EQ(dot_error(std::vector{first * n}, n), 0.0);
  EXPECT_GT(dot_error(std::vector{first * (n - 1)}, n), dot_tolerance(n));
  EXPECT_GT(dot_error(std::vector{first * n, first * n}, n), 0.9);
  EXPECT_TRUE(std::isnan(dot_error(std::vector{std::nan(""), first * n}, n)));
}

TEST(Error, SeesAMissingRound) {
  Stream stream({.n = 100, .rounds = 3});
  rounds(stream, 2);
  EXPECT_GT(error(reader(stream), 3), 0.1);
}

TEST(Work, AgreesWithCountingByHand) {
  struct Counted {
    Kernel kernel;
    double bytes, loads, flops;
  };
  for (const auto& [kernel, bytes, loads, flops] :
       {Counted{Kernel::copy, 160, 80, 0}, Counted{Kernel::scale, 160, 80, 10}, Counted{Kernel::add, 240, 160, 10},
        Counted{Kernel::triad, 240, 160, 20}, Counted{Kernel::dot, 160, 160, 20}}) {
    const Work counted = work(kernel, 10);
    EXPECT_EQ(counted.counted, bytes);
    EXPECT_EQ(demanded(counted, "memory.bytes"), bytes);
    EXPECT_EQ(demanded(counted, "memory.loads"), loads);
    EXPECT_EQ(demanded(counted, "flops.fp64"), flops);
  }
}

TEST(Params, LargestNumberOfRoundsDoesNotOverflow) {
  constexpr std::int64_t n = 8;
  constexpr int most = 100;
  Stream stream({.n = n, .rounds = most});
  const auto dots = rounds(stream, most);
  EXPECT_LE(error(reader(stream), most), tolerance);
  // Scaled to the largest array that may be asked for.
  EXPECT_TRUE(std::isfinite(dots.back() / static_cast<double>(n) * std::ldexp(1.0, 40)));
}

}  // namespace
}  // namespace banzuke::stream
