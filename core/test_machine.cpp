// What the core asks of the machine that it runs on.
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <omp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/blas.hpp"
#include "core/clock.hpp"
#include "core/cpulist.hpp"
#include "core/memory.hpp"
#include "core/random.hpp"

namespace banzuke {
namespace {

TEST(Binding, IsReadBack) {
  const std::vector<int> allowed = allowed_cpus();
  const std::vector<int> wanted{allowed.back(), allowed.front()};
  bind_threads(wanted);
  EXPECT_EQ(read_binding(), (std::vector<std::string>{std::to_string(wanted[0]), std::to_string(wanted[1])}));
  EXPECT_EQ(omp_get_max_threads(), 2);
  bind_threads({allowed.front()});
  EXPECT_EQ(read_binding(), std::vector<std::string>{std::to_string(allowed.front())});
  allow_cpus(allowed);
}

TEST(Binding, RefusesAProcessorThatIsNotThere) { EXPECT_THROW(bind_threads({1 << 19}), std::system_error); }

TEST(Array, IsAlignedSkewedAndWritable) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, huge_page / sizeof(double) + 1}) {
    Array<double> array(size, 128);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % huge_page, 128U);
    std::fill_n(array.data(), size, 1.5);
    EXPECT_EQ(std::count(array.span().begin(), array.span().end(), 1.5), static_cast<std::ptrdiff_t>(size));
  }
}

TEST(Array, ReportsWhatCannotBeMapped) { EXPECT_THROW(Array<char>(~std::size_t{0} - 4096), std::bad_alloc); }

// A policy or a setting of this process, and back when the test ends.
class Policy {
 public:
  explicit Policy(int mode, unsigned long nodes = 0) : set_(set(mode, nodes)) {}
  ~Policy() { set(MPOL_DEFAULT, 0); }
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  bool is_set() const { return set_; }

 private:
  static bool set(int mode, unsigned long nodes) { return syscall(SYS_set_mempolicy, mode, &nodes, 64) == 0; }
  bool set_;
};

TEST(Memory, ThePolicyIsReadBack) {
  const Policy bind(MPOL_BIND, 1);
  if (!bind.is_set()) GTEST_SKIP() << "hardware: the kernel lets no process place its pages on NUMA nodes";
  EXPECT_EQ(memory_policy(), "bind:0");
  const Policy interleave(MPOL_INTERLEAVE | MPOL_F_STATIC_NODES, 1);
  EXPECT_EQ(memory_policy(), "interleave:0");
  const Policy none(MPOL_DEFAULT);
  EXPECT_EQ(memory_policy(), "default");
}

TEST(Memory, PagesAreBaseWhereHugeOnesAreRefused) {
  if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) GTEST_SKIP() << "hardware: the kernel has no huge pages to refuse";
  EXPECT_EQ(page_kind(), "base");
  prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
  Array<char> array(4 * huge_page);
  std::fill_n(array.data(), array.size(), 'x');
  // The kernel's account; on a machine without free memory in one piece it may have given huge pages to none.
  if (huge_page_fraction() > 0.5) {
    EXPECT_EQ(page_kind(), "transparent");
  }
}

TEST(Clock, RunsForward) {
  const double start = now();
  EXPECT_GT(clock_tick(), 0.0);
  EXPECT_LT(clock_tick(), 1e-3);
  EXPECT_GT(now(), start);
}

TEST(Clock, CoreFrequencyIsPlausible) {
  const double hz = core_hz();
  EXPECT_GT(hz, 1e7);  // slow only under emulation
  EXPECT_LT(hz, 1e10);
}

TEST(Clock, ACacheLineTakesItsTimeBetweenProcessors) {
  const std::vector<int> allowed = allowed_cpus();
  if (allowed.size() < 2) GTEST_SKIP() << "hardware: one processor only";
  const double seconds = exchange_latency(allowed.front(), allowed.back());
  EXPECT_GT(seconds, 1e-9);
  EXPECT_LT(seconds, 1e-2);  // even where the two take turns on one processor of the emulator
  EXPECT_EQ(allowed_cpus(), allowed);
}

TEST(Random, DependsOnPositionAloneAndIsCentred) {
  double sum = 0.0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double value = uniform(1, i);
    ASSERT_GE(value, -0.5);
    ASSERT_LT(value, 0.5);
    sum += value;
  }
  EXPECT_LT(std::abs(sum / 100000), 5e-3);
  EXPECT_EQ(uniform(1, 17), uniform(1, 17));
  EXPECT_NE(uniform(1, 17), uniform(2, 17));
}

TEST(Blas, SaysWhyALibraryIsUnusable) {
  try {
    const Blas blas("/nonexistent/libblas.so", {{allowed_cpus().front()}});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/libblas.so"), std::string::npos);
  }
}

}  // namespace
}  // namespace banzuke
