// Tests of what the core queries from the machine that it runs on.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/blas.hpp"
#include "core/clock.hpp"
#include "core/cpulist.hpp"
#include "core/loaded.hpp"
#include "core/memory.hpp"
#include "core/nearness.hpp"
#include "core/parameters.hpp"
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

TEST(Binding, SaysWhichProcessorsAreThereInsteadOfOneThatIsNot) {
  try {
    bind_threads({1 << 19});
    FAIL() << "bound";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("is offline or does not exist; online: 0"), std::string::npos)
        << error.what();
  }
}

TEST(Loaded, TellsTheFileOfALibraryThatAVariableNames) {
  EXPECT_EQ(named_library(), "");
  setenv("BANZUKE_ANY", "/nowhere/libm.so.6", 1);
  EXPECT_EQ(named_library(), "");
  setenv("BANZUKE_ANY", "libm.so.6", 1);
  // Under emulation the program is statically linked and has no loaded library.
  const bool loaded = dlopen("libm.so.6", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  EXPECT_EQ(named_library().ends_with("/libm.so.6"), loaded) << named_library();
  unsetenv("BANZUKE_ANY");
}

TEST(Array, IsAlignedSkewedAndWritable) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, huge_page / sizeof(double) + 1}) {
    Array<double> array(size, 128);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % huge_page, 128U);
    std::fill_n(array.data(), size, 1.5);
    EXPECT_EQ(std::count(array.span().begin(), array.span().end(), 1.5), static_cast<std::ptrdiff_t>(size));
  }
}

TEST(Array, ReportsWhatCannotBeMapped) { EXPECT_THROW(Array<char>(~std::size_t{0} - 4096), std::bad_alloc); }

// Sets a policy or a setting of this process, and restores it when the test ends.
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

TEST(Memory, APolicyIsSetForThreadsToCome) {
  const Policy before(MPOL_DEFAULT);
  if (!before.is_set()) GTEST_SKIP() << "hardware: the kernel lets no process place its pages on NUMA nodes";
  for (const std::string text : {"local", "interleave:0", "bind:0"}) {
    set_memory_policy(parse_memory_policy(text));
    EXPECT_EQ(memory_policy(), text);
    std::string seen;
    std::thread([&] { seen = memory_policy(); }).join();
    EXPECT_EQ(seen, text);
  }
  set_memory_policy(parse_memory_policy("interleave"));
  EXPECT_EQ(memory_policy().rfind("interleave:0", 0), 0U);
  try {
    set_memory_policy(parse_memory_policy("bind:0,1023"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find("memory-policy: bind:0,1023: the nodes whose memory"), 0U) << error.what();
  }
  EXPECT_EQ(memory_policy().rfind("interleave:0", 0), 0U);
}

TEST(Memory, APolicyIsOneOfThree) {
  for (const std::string text : {"", "local:0", "bind", "bind:", "bind:x", "interleave:", "preferred:0", "bind:-1"}) {
    EXPECT_THROW(parse_memory_policy(text), UsageError) << text;
  }
}

// Chooses the pages of all arrays until the test ends.
class Chosen {
 public:
  explicit Chosen(Pages pages) { use_pages(pages); }
  ~Chosen() { use_pages(Pages::transparent); }
  Chosen(const Chosen&) = delete;
  Chosen& operator=(const Chosen&) = delete;
};

// page_kind() after an array was filled. It reports the largest array, so each kind needs a larger one than the last.
std::string_view filled(std::size_t huge_pages) {
  {
    Array<char> array(huge_pages * huge_page);
    std::fill_n(array.data(), array.size(), 'x');
  }
  return page_kind();
}

TEST(Pages, AreThoseOfTheLargestArray) {
  if (filled(4).empty()) GTEST_SKIP() << "hardware: the kernel does not say what pages there are";
  {
    const Chosen base(Pages::base);
    EXPECT_EQ(filled(8), "base");
  }
  const std::string_view found = filled(16);
  // If free memory is fragmented, no array may have got huge pages.
  if (found != "base") {
    EXPECT_EQ(found, "transparent");
  }
  EXPECT_EQ(filled(2), found);
}

// Adds reserved pages to the pool, and restores their number when the test ends.
class Pool {
 public:
  explicit Pool(int pages) : before_(read()) { write(before_ + pages); }
  ~Pool() { write(before_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  bool has(int pages) const { return read() >= before_ + pages; }
  static constexpr const char* file = "/proc/sys/vm/nr_hugepages";

 private:
  static int read() {
    int pages = 0;
    std::ifstream(file) >> pages;
    return pages;
  }
  static void write(int pages) { std::ofstream(file) << pages; }
  int before_;
};

TEST(Pages, AreReservedOnesFromThePool) {
  const Pool pool(40);
  if (!pool.has(40)) GTEST_SKIP() << "hardware: " << Pool::file << " cannot be set";
  const Chosen reserved(Pages::reserved);
  EXPECT_EQ(filled(32), "reserved");
  const double before = huge_page_fraction();  // includes what earlier tests use
  Array<char> half(32 * huge_page);
  std::fill_n(half.data(), half.size(), 'x');
  EXPECT_GT(huge_page_fraction(), before + 0.1);
  Array<double> small(3, 128);
  std::fill_n(small.data(), 3, 1.5);
  EXPECT_EQ(small[2], 1.5);
}

TEST(Pages, ThatAreNotReservedAreNamed) {
  const Chosen reserved(Pages::reserved);
  if (reserved_pages(1.0) == 0) GTEST_SKIP() << "hardware: the kernel has no huge pages";
  try {
    const Array<char> array(std::size_t{1} << 46U);
    FAIL();
  } catch (const PoolExhausted& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("an array needs "), std::string::npos) << text;
    EXPECT_NE(text.find(" are free; reserve more in /proc/sys/vm/nr_hugepages"), std::string::npos) << text;
  }
  EXPECT_THROW(Array<char>(~std::size_t{0} - 4096), std::bad_alloc);
}

TEST(Clock, RunsForward) {
  const double start = now();
  EXPECT_GT(clock_tick(), 0.0);
  EXPECT_LT(clock_tick(), 1e-3);
  EXPECT_GT(now(), start);
}

TEST(Clock, CoreFrequencyIsPlausible) {
  const double hz = core_hz();
  EXPECT_GT(hz, 1e7);  // so slow only under emulation
  EXPECT_LT(hz, 1e10);
}

TEST(Clock, ACacheLineTakesItsTimeBetweenProcessors) {
  const std::vector<int> allowed = allowed_cpus();
  if (allowed.size() < 2) GTEST_SKIP() << "hardware: one processor only";
  constexpr double most = 1e-2;  // even if the two take turns on one processor of the emulator
  double seconds = 0.0;
  for (int trial = 0; trial < 10 && (seconds == 0.0 || seconds >= most); ++trial) {
    seconds = exchange_latency(allowed.front(), allowed.back());  // other processes may occupy a processor for long
  }
  EXPECT_GT(seconds, 1e-9);
  EXPECT_LT(seconds, most);
  EXPECT_EQ(allowed_cpus(), allowed);
}

TEST(Clock, NoCacheLinePassesToAProcessorThatThereIsNot) {
  const std::vector<int> allowed = allowed_cpus();
  EXPECT_EQ(exchange_latency(allowed.front(), 1 << 20), 0.0);
  EXPECT_EQ(exchange_latency(1 << 20, allowed.front()), 0.0);
  EXPECT_EQ(allowed_cpus(), allowed);
}

TEST(Nearness, TheFarthestProcessorIsAnotherOneOfThoseAllowed) {
  EXPECT_EQ(farthest(0, {0}), 0);
  EXPECT_EQ(farthest(0, {}), 0);
  // None of these exist, so only their numbers are known.
  EXPECT_EQ(farthest(1 << 20, {1, (1 << 20) + 1, 1 << 20, (1 << 20) + 7}), 1) << "in another package, as it seems";
  EXPECT_EQ(farthest(1 << 20, {(1 << 20) + 1, (1 << 20) - 3, 1 << 20}), (1 << 20) - 3);
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
