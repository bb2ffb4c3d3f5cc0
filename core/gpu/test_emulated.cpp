// Tests with failing, sliced or multiple devices, which only the emulated ones can provide.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "core/devices.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/emulated/restart.hpp"
#include "core/gpu/test_launches.hpp"
#include "core/gpu/timing.hpp"

namespace banzuke::gpu {
namespace {

class Emulated : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const auto* name : {"DEVICES", "MEMORY", "SLICES", "CLOCK", "PEERS", "NCCL", "FAULT"}) {
      unsetenv((std::string("BANZUKE_EMULATED_") + name).c_str());
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_DEVICE_ORDER");
    give_devices({});
    emulated::restart();
  }

  static void with(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) setenv(("BANZUKE_EMULATED_" + name).c_str(), value.c_str(), 1);
    emulated::restart();
  }
};

class Faults : public Emulated {};
class Choice : public Emulated {};
class EmulatedClock : public Emulated {};
class EmulatedStreams : public Emulated {};
class Peers : public Emulated {};

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const NoDeviceError& error) {
    return error.what();
  }
  return "";
}

template <class Function>
std::string failure(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Faults, NoDriverOldDriverAndADeviceInUseAreNoDevice) {
  for (const auto& [fault, words] :
       {std::pair{"no-driver", "no driver is installed"}, std::pair{"old-driver", "older than the toolkit"},
        std::pair{"in-use", "in use by another process"}}) {
    with({{"FAULT", fault}});
    EXPECT_NE(refusal(use_given).find(words), std::string::npos) << fault;
  }
  with({{"FAULT", ""}, {"DEVICES", "0"}});
  EXPECT_NE(refusal(use_given), "");
}

TEST_F(Faults, OfACopySaysWhatWhereAndThatNothingWorksAnyMore) {
  with({{"FAULT", "copy@2"}});
  const Stream stream;
  DeviceBuffer<double> there(10);
  const std::vector<double> in(10, 1.0);
  upload<double>(there, in, stream);
  int line = 0;
  const PinnedBuffer<double> here(10);
  const auto text = failure([&] {
    line = __LINE__ + 1;
    copy(there.data(), here.data(), 1, stream);
  });
  EXPECT_NE(text.find("cannot copy 8 bytes: an illegal memory access"), std::string::npos) << text;
  EXPECT_NE(text.find("at test_emulated.cpp:" + std::to_string(line) + ";"), std::string::npos) << text;
  EXPECT_NE(text.find("emulated device 0 answers nothing more"), std::string::npos) << text;
  EXPECT_NE(failure([&] { stream.wait(); }), "");
}

TEST_F(Faults, OfALaunchIsSeenAtThatLaunch) {
  with({{"FAULT", "launch@2"}});
  const Stream stream;
  DeviceBuffer<std::int64_t> sums(1);
  testing::launch_sum(1, 1, sums.data(), stream);
  const auto text = failure([&] { testing::launch_sum(1, 1, sums.data(), stream); });
  EXPECT_NE(text.find("cannot launch a kernel"), std::string::npos) << text;
}

TEST_F(Faults, ALostDeviceIsSeenByWhateverComesNext) {
  with({{"FAULT", "lost@3"}});
  const Stream stream;
  EXPECT_NO_THROW(stream.wait());
  EXPECT_NO_THROW(stream.wait());
  EXPECT_NE(failure([&] { stream.wait(); }).find("the device is lost"), std::string::npos);
}

TEST_F(Faults, WithoutAWordLeaveWhatWasThere) {
  for (const auto& [fault, expected] : {std::pair{"missing-copy@2", 7}, std::pair{"wrong-copy@2", 3 ^ (1 << 24)}}) {
    with({{"FAULT", fault}});
    const Stream stream;
    DeviceBuffer<int> there(1);
    const std::array first{7};
    const std::array second{3};
    upload<int>(there, first, stream);
    upload<int>(there, second, stream);
    std::array out{0};
    download<int>(out, there, stream);
    EXPECT_EQ(out[0], expected) << fault;
  }
  with({{"FAULT", "missing-launch@1"}});
  const Stream stream;
  DeviceBuffer<std::int64_t> sums(1);
  set_bytes(sums.data(), 0xFF, 1, stream);
  testing::launch_sum(1, 1, sums.data(), stream);
  std::array<std::int64_t, 1> out{};
  download<std::int64_t>(out, sums, stream);
  EXPECT_EQ(out[0], -1);
}

TEST_F(Faults, WithoutAWordUndoALoopThatNothingQueues) {
  with({{"FAULT", "missing-loop@3"}});
  const Stream stream;
  const Event event;
  DeviceBuffer<int> there(1);
  PinnedBuffer<int> here(1);
  int& of_device = *there.data().address();
  int& of_host = here.span()[0];
  for (const int value : {1, 2, 3}) {
    event.record(stream);
    of_device = of_host = value;
    event.record(stream);
    EXPECT_EQ(of_device, value == 2 ? 1 : value);
    EXPECT_EQ(of_host, of_device);
  }
}

TEST_F(EmulatedStreams, ComeBeforeOrAfterOthersUnlessAnEventSaysWhich) {
  with({});
  constexpr int times = 500;
  const Stream first;
  const Stream second;
  const Event done;
  PinnedBuffer<int> from(1);
  PinnedBuffer<int> between(1);
  PinnedBuffer<int> to(1);
  for (const bool waits : {false, true}) {
    int arrived = 0;
    for (int i = 0; i < times; ++i) {
      from.span()[0] = 5;
      between.span()[0] = to.span()[0] = 0;
      copy(between.data(), from.data(), 1, first);
      done.record(first);
      if (waits) second.after(done);
      copy(to.data(), between.data(), 1, second);
      second.wait();
      arrived += to.span()[0] == 5 ? 1 : 0;
      first.wait();
    }
    EXPECT_TRUE(waits ? arrived == times : arrived > 0 && arrived < times) << arrived;
  }
}

TEST_F(EmulatedStreams, ThatAreHeldBackCannotBeWaitedFor) {
  with({});
  const Stream stream;
  Gate gate(stream);
  EXPECT_NE(failure([&] { stream.wait(); }).find("deadlock"), std::string::npos);
  gate.open();
  EXPECT_NO_THROW(stream.wait());
}

TEST_F(EmulatedStreams, AndEventsAreOfOneDevice) {
  with({{"DEVICES", "2"}});
  const Event event;
  use(1);
  const Stream other;
  EXPECT_NE(failure([&] { event.record(other); }), "");
  turn_to(0);
  DeviceBuffer<std::int64_t> sums(1);
  EXPECT_NE(failure([&] { testing::launch_sum(1, 1, sums.data(), other); }), "");
  const Event never;
  EXPECT_NE(failure([&] { (void)never.seconds_since(event); }), "");
}

TEST_F(Peers, AreReachedAsTheVariableSays) {
  with({{"DEVICES", "2"}});
  EXPECT_TRUE(reach(0, 1));
  EXPECT_FALSE(linked(0, 1));
  with({{"DEVICES", "2"}, {"PEERS", "nvlink"}});
  EXPECT_TRUE(reach(0, 1));
  EXPECT_TRUE(linked(0, 1));
  with({{"DEVICES", "2"}, {"PEERS", "none"}});
  EXPECT_FALSE(reach(0, 1));
}

TEST_F(EmulatedClock, ThatIsWrongIsSeen) {
  for (const char* clock : {"1.02", "0.98"}) {
    with({{"CLOCK", clock}});
    const Stream stream;
    EXPECT_NEAR(clock_difference(stream), 0.02, 0.005) << clock;
  }
  static_assert(clock_tolerance < 0.015);
}

TEST_F(Choice, IsByThePositionOnTheHostWhereNoneIsGiven) {
  with({{"DEVICES", "3"}});
  for (const auto& [rank, identity] :
       {std::pair{0, "EMULATED-0"}, std::pair{2, "EMULATED-2"}, std::pair{4, "EMULATED-1"}}) {
    give_devices({{}, rank});
    const auto found = given();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].identity, identity) << rank;
  }
}

TEST_F(Choice, IsWhatWasGivenInThatOrder) {
  with({{"DEVICES", "4"}});
  give_devices({{"EMULATED-3", "EMULATED-1"}, 0});
  const auto found = given();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_STREQ(std::getenv("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  EXPECT_EQ(found[0].number, 3);
  EXPECT_EQ(found[1].number, 1);
  EXPECT_EQ(use_given().identity, "EMULATED-3");
  EXPECT_EQ(current().identity, "EMULATED-3");
  for (const auto* identity : {"EMULATED-3", "EMULATED-1"}) {
    EXPECT_NE(std::ranges::find(used_devices(), identity), used_devices().end()) << identity;
  }
}

TEST_F(Choice, IsAmongAllThatAreVisibleWhereNoneIsGiven) {
  with({{"DEVICES", "3"}});
  EXPECT_EQ(offered().size(), 3U);
  give_devices({{"EMULATED-2"}, 0});
  EXPECT_EQ(offered().front().identity, "EMULATED-2");
}

TEST_F(Choice, OfAnUnknownOneNamesThoseThatAreThere) {
  with({{"DEVICES", "2"}});
  give_devices({{"GPU-123"}, 0});
  EXPECT_EQ(refusal(given), "there is no device GPU-123 here; visible are EMULATED-0, EMULATED-1");
}

TEST_F(Choice, ShowsTheProcessTheSlicesThatItWasGiven) {
  with({{"SLICES", "3"}});
  EXPECT_EQ(devices().size(), 1U);
  give_devices({{"MIG-EMULATED-2", "MIG-EMULATED-1"}, 0});
  const auto found = given();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].identity, "MIG-EMULATED-2");
  EXPECT_EQ(devices().size(), 2U);
}

TEST_F(Choice, MemoryIsOfEachDevice) {
  with({{"DEVICES", "2"}, {"MEMORY", "1000"}});
  const DeviceBuffer<char> most(900);
  EXPECT_EQ(current().free, 100U);
  EXPECT_NE(failure([] { DeviceBuffer<char>{101}; }).find("100 of 1000 are free"), std::string::npos);
  use(1);
  const DeviceBuffer<char> more(900);
  EXPECT_TRUE(reach(0, 1));
}

}  // namespace
}  // namespace banzuke::gpu
