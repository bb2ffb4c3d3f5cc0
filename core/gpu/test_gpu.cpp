// Guarantees of every platform: these tests run on the emulated device, and with `make test-gpu` on real ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "core/gpu/beside.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/kernel.hpp"
#include "core/gpu/test_launches.hpp"
#include "core/gpu/timing.hpp"

namespace banzuke::gpu {
namespace {

template <class P>
concept Followed = requires(P pointer) { *pointer; } || requires(P pointer) { pointer[0]; } ||
                   requires(P pointer) { pointer.operator->(); };

static_assert(!Followed<DevicePointer<double>>);
static_assert(!std::is_convertible_v<DevicePointer<double>, double*>);
static_assert(!std::is_constructible_v<Elements<double>, HostPointer<double>>);
static_assert(!std::is_constructible_v<Elements<double>, double*>);
static_assert(!std::is_constructible_v<Elements<double>, DevicePointer<const double>>);
static_assert(std::is_constructible_v<Elements<const double>, DevicePointer<double>>);
static_assert(std::is_constructible_v<Elements<double>, PinnedPointer<double>>);
static_assert(!std::is_convertible_v<double*, DevicePointer<double>>);
static_assert(!std::is_convertible_v<PinnedPointer<double>, DevicePointer<double>>);
static_assert(!std::is_convertible_v<DevicePointer<const double>, DevicePointer<double>>);

template <class T>
concept HasSpan = requires(T buffer) { buffer.span(); };
static_assert(!HasSpan<DeviceBuffer<double>>);
static_assert(HasSpan<PinnedBuffer<double>>);

std::vector<int> counted(std::size_t n, int first) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), first);
  return out;
}

class Gpu : public ::testing::Test {
 protected:
  Gpu() { use(0); }
};

class Buffers : public Gpu {};
class Launches : public Gpu {};
class Timing : public Gpu {};

TEST_F(Buffers, KeepWhatWasCopiedThere) {
  const Stream stream;
  const auto in = counted(1001, 5);
  DeviceBuffer<int> there(in.size());
  EXPECT_EQ(there.size(), 1001U);
  EXPECT_EQ(there.bytes(), 4004U);
  upload<int>(there, in, stream);
  std::vector<int> out(in.size());
  download<int>(out, there, stream);
  EXPECT_EQ(out, in);
}

TEST_F(Buffers, CopyPartsBetweenAllSpaces) {
  const Stream stream;
  const auto in = counted(100, 0);
  DeviceBuffer<int> first(100);
  DeviceBuffer<int> second(100);
  PinnedBuffer<int> pinned(100);
  upload<int>(first, in, stream);
  set_bytes(second.data(), 0xFF, 100, stream);
  copy(second.data() + 10, first.data() + 40, 20, stream);
  copy(pinned.data(), second.data(), 100, stream);
  stream.wait();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pinned.span()[static_cast<std::size_t>(i)], i >= 10 && i < 30 ? i + 30 : -1) << i;
  }
}

TEST_F(Buffers, MemoryOfOthersIsLockedForTransfers) {
  const Stream stream;
  std::vector<int> lent(100, 7);
  DeviceBuffer<int> device(lent.size());
  const Pinning pinning(lent.data(), lent.size() * sizeof(int));
  if (platform() == "emulated") {
    EXPECT_TRUE(pinning.locked()) << pinning.why();
  }
  copy(device.data(), HostPointer<const int>(lent.data()), lent.size(), stream);
  stream.wait();
  std::ranges::fill(lent, 0);
  copy(HostPointer<int>(lent.data()), device.data(), lent.size(), stream);
  stream.wait();
  EXPECT_EQ(lent, std::vector<int>(100, 7)) << pinning.why();
}

TEST_F(Buffers, OfNothingAreAllowed) {
  const Stream stream;
  DeviceBuffer<double> none(0);
  const PinnedBuffer<double> empty(0);
  copy(none.data(), empty.data(), 0, stream);
  stream.wait();
  EXPECT_EQ(empty.span().size(), 0U);
}

TEST_F(Buffers, MoreThanThereIsIsRefusedAndNothingBreaks) {
  const auto device = current();
  try {
    const DeviceBuffer<char> all(device.memory + 1);
    FAIL() << "allocated more than there is";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("out of memory on " + device.name), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(device.memory + 1) + " bytes were asked for"), std::string::npos) << text;
  }
  const DeviceBuffer<char> little(1000);
  EXPECT_EQ(little.size(), 1000U);
}

TEST_F(Buffers, AreGivenBack) {
  const auto size = current().memory / 2 + 1;
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(DeviceBuffer<char>{size}) << i;
}

TEST_F(Launches, EachElementWritesEveryElementOnce) {
  const Stream stream;
  constexpr std::int64_t beyond = 5;
  for (const std::int64_t n : {0, 1, 2, 255, 256, 257, 768, 769, 1023, 1024, 1025, 1280, 1793, 4096, 100003}) {
    const auto all = static_cast<std::size_t>(n + beyond);
    DeviceBuffer<std::int64_t> twice(all);
    DeviceBuffer<int> written(all);
    set_bytes(twice.data(), 0, all, stream);
    set_bytes(written.data(), 0, all, stream);
    testing::launch_count(n, twice.data(), written.data(), stream);
    std::vector<std::int64_t> values(all);
    std::vector<int> times(all);
    download<std::int64_t>(values, twice, stream);
    download<int>(times, written, stream);
    for (std::int64_t i = 0; i < n + beyond; ++i) {
      ASSERT_EQ(values[static_cast<std::size_t>(i)], i < n ? 2 * i : 0) << i << " of " << n;
      ASSERT_EQ(times[static_cast<std::size_t>(i)], i < n ? 1 : 0) << i << " of " << n;
    }
  }
}

TEST_F(Launches, PhasesOfABlockEndBeforeTheNextBegins) {
  const Stream stream;
  constexpr int threads = 128;
  for (const int blocks : {1, 2, 3, 64, 1000}) {
    const auto in = counted(static_cast<std::size_t>(blocks) * threads, 7);
    DeviceBuffer<int> from(in.size());
    PinnedBuffer<int> to(in.size());
    upload<int>(from, in, stream);
    testing::launch_reverse(blocks, from.data(), to.data(), stream);
    stream.wait();
    for (int i = 0; i < blocks * threads; ++i) {
      const int block = i / threads;
      const int thread = i % threads;
      ASSERT_EQ(to.span()[static_cast<std::size_t>(i)], 7 + block * threads + threads - 1 - thread + thread) << i;
    }
  }
}

TEST_F(Launches, SumOfABlock) {
  const Stream stream;
  for (const int threads : {1, 32, 256}) {
    for (const std::int64_t blocks : {1, 3, 130}) {
      DeviceBuffer<std::int64_t> sums(static_cast<std::size_t>(blocks));
      testing::launch_sum(threads, blocks, sums.data(), stream);
      std::vector<std::int64_t> out(static_cast<std::size_t>(blocks));
      download<std::int64_t>(out, sums, stream);
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t of_threads = std::int64_t{threads} * (threads - 1) / 2;
        ASSERT_EQ(out[static_cast<std::size_t>(block)], of_threads * blocks + block) << threads << ' ' << block;
      }
    }
  }
}

TEST_F(Launches, TheLastGroupSeesWhatAllOthersSummed) {
  const Stream stream;
  constexpr int threads = 128;
  DeviceBuffer<std::int32_t> arrived(1);
  set_bytes(arrived.data(), 0, 1, stream);
  DeviceBuffer<double> total(1);
  for (const int group : {1, 8, 32}) {
    for (const std::int64_t blocks : {1, 3, 1000}) {
      std::vector<double> in(static_cast<std::size_t>(blocks * threads));
      std::iota(in.begin(), in.end(), 1.0);
      DeviceBuffer<double> from(in.size());
      DeviceBuffer<double> sums(in.size() / static_cast<std::size_t>(group));
      upload<double>(from, in, stream);
      testing::launch_group_sums(group, blocks, from.data(), sums.data(), arrived.data(), total.data(), stream);
      std::vector<double> of_groups(sums.size());
      std::vector<double> of_all(1);
      download<double>(of_groups, sums, stream);
      download<double>(of_all, total, stream);
      const auto number = static_cast<double>(in.size());
      EXPECT_EQ(of_all[0], number * (number + 1.0) / 2.0) << group << ' ' << blocks;
      for (std::size_t i = 0; i < of_groups.size(); ++i) {
        const auto first = in.begin() + static_cast<std::ptrdiff_t>(i) * group;
        ASSERT_EQ(of_groups[i], std::accumulate(first, first + group, 0.0)) << group << ' ' << i;
      }
    }
  }
}

TEST_F(Launches, OfNothingAreAllowed) {
  const Stream stream;
  DeviceBuffer<std::int64_t> sums(1);
  set_bytes(sums.data(), 0, 1, stream);
  testing::launch_sum(32, 0, sums.data(), stream);
  std::vector<std::int64_t> out(1, -1);
  download<std::int64_t>(out, sums, stream);
  EXPECT_EQ(out[0], 0);
}

TEST_F(Launches, AStreamWaitsForAnEventOfAnother) {
  const Stream first;
  const Stream second;
  constexpr std::int64_t n = 1 << 22;
  DeviceBuffer<std::int64_t> twice(n);
  DeviceBuffer<int> written(n);
  PinnedBuffer<std::int64_t> last(1);
  set_bytes(twice.data(), 0, n, first);
  set_bytes(written.data(), 0, n, first);
  testing::launch_count(n, twice.data(), written.data(), first);
  const Event done;
  done.record(first);
  second.after(done);
  copy(last.data(), twice.data() + (n - 1), 1, second);
  second.wait();
  EXPECT_EQ(last.span()[0], 2 * (n - 1));
}

TEST_F(Launches, WaitBehindAGateUntilItOpens) {
  const Stream stream;
  PinnedBuffer<std::int64_t> result(1);
  DeviceBuffer<std::int64_t> sums(3);
  const auto queue = [&] {
    testing::launch_sum(32, 3, sums.data(), stream);
    copy(result.data(), sums.data(), 1, stream);
  };
  queue();  // a kernel's first launch may wait for the device
  stream.wait();
  result.span()[0] = -1;
  Gate gate(stream);
  queue();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(result.span()[0], -1);
  EXPECT_TRUE(gate.open());
  stream.wait();
  EXPECT_EQ(result.span()[0], 32 * 31 / 2 * 3);
}

TEST_F(Launches, AGateThatIsForgottenOpens) {
  const Stream stream;
  {
    const Gate gate(stream);
  }
  EXPECT_NO_THROW(stream.wait());
}

TEST_F(Timing, CountsWhatLiesBetween) {
  const Stream stream;
  const Timer timer(stream);
  timer.start();
  stream.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(timer.stop(), 0.019);
}

TEST_F(Timing, TheDevicesClockAgreesWithTheHosts) {
  const Stream stream;
  EXPECT_LT(clock_difference(stream), clock_tolerance);
}

TEST_F(Gpu, SaysWhatItIs) {
  const auto found = devices();
  const auto device = current();
  EXPECT_EQ(found.front().identity, device.identity);
  EXPECT_FALSE(device.identity.empty());
  EXPECT_FALSE(device.name.empty());
  EXPECT_EQ(device.bus.substr(4, 1), ":") << device.bus;
  EXPECT_GT(device.multiprocessors, 0);
  EXPECT_GT(device.l2_cache, 0U);
  EXPECT_GT(device.free, 0U);
  EXPECT_LE(device.free, device.memory);
  EXPECT_FALSE(reach(device.number, device.number));
}

TEST(Beside, AResultThatIsNotRightIsSeen) {
  EXPECT_TRUE(right("a sum", 0.5, 1.0));
  EXPECT_FALSE(right("a sum", 1.5, 1.0));
  EXPECT_FALSE(right("a sum", std::nan(""), 1.0));
}

TEST(Beside, TheExitStatusSaysWhatBecameOfIt) {
  EXPECT_EQ(run_beside([] { return true; }), 0);
  EXPECT_EQ(run_beside([] { return false; }), 1);
  EXPECT_EQ(run_beside([]() -> bool { throw Error("it is lost"); }), 1);
  EXPECT_EQ(run_beside([]() -> bool { throw NoDeviceError("there is none"); }), 2);
}

TEST(Beside, ARatioIsHowManyTimesAsFastOursIs) {
  const Pair pair = pair_of("ours", "theirs", {1.0, 2.0, 4.0}, {2.0, 2.0, 2.0}, 10.0, "B/s");
  EXPECT_EQ(pair.ratios, (std::vector{2.0, 1.0, 0.5}));
  EXPECT_EQ(pair.rate, 5.0);
  EXPECT_EQ(pair.beside_rate, 5.0);
}

}  // namespace
}  // namespace banzuke::gpu
