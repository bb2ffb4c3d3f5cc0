#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/last_step.hpp"
#include "core/message.hpp"
#include "core/network.hpp"

namespace banzuke {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST(MessageSizes, ArePowersOfTwoWithinTheRange) {
  EXPECT_EQ(message_sizes(0, 8), (Sizes{0, 1, 2, 4, 8}));
  EXPECT_EQ(message_sizes(1, 9), (Sizes{1, 2, 4, 8}));
  EXPECT_EQ(message_sizes(3, 20), (Sizes{4, 8, 16}));
  EXPECT_EQ(message_sizes(0, 0), Sizes{0});
  EXPECT_EQ(message_sizes(5, 6), Sizes{});
}

TEST(Counts, FallAboveEightKibibytesUnlessAskedFor) {
  constexpr Count small{.iterations = 10000, .warm_up = 100};
  constexpr Count large{.iterations = 1000, .warm_up = 10};
  EXPECT_EQ(count_for(8192, small, large, 0).iterations, 10000);
  EXPECT_EQ(count_for(8193, small, large, 0).iterations, 1000);
  EXPECT_EQ(count_for(8193, small, large, 0).warm_up, 10);
  EXPECT_EQ(count_for(1, small, large, 7).iterations, 7);
  EXPECT_EQ(count_for(1, small, large, 7).warm_up, 1);
}

TEST(Pattern, SeesAnotherMessageAndOneWrongBit) {
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 4099U}) {
    Buffer buffer(size);
    const auto message = buffer.first(size);
    fill(message, 5);
    EXPECT_EQ(mismatches(message, 5), 0) << size;
    if (size == 0) continue;
    EXPECT_GT(mismatches(message, 6), 0) << "another message's, " << size;
    message.back() ^= std::byte{1};
    EXPECT_EQ(mismatches(message, 5), 1) << size;
    message.back() ^= std::byte{1};
  }
}

TEST(Pattern, SeesAShift) {
  Buffer buffer(1008);
  fill(buffer.first(1008), 5);
  EXPECT_GT(mismatches(buffer.first(1008).subspan(8), 5), 900);
}

TEST(Buffer, StartsOnAPage) {
  Buffer buffer(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)), 0);
  EXPECT_THROW(Buffer(std::size_t{1} << 60U), std::bad_alloc);
}

TEST(Quantised, KeepsTenthsOfNanoseconds) {
  EXPECT_DOUBLE_EQ(quantised(1.23456e-7), 1.235e-7);
  EXPECT_DOUBLE_EQ(quantised(0.5), 0.5);
}

// A mock of /proc and /sys.
class Network : public testing::Test {
 public:
  Network() : root_(std::filesystem::temp_directory_path() / ("banzuke-network-" + std::to_string(getpid()))) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network() override { std::filesystem::remove_all(root_); }

 protected:
  std::string root() const { return root_.string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  void count(long loopback, long ethernet) const {
    write("proc/self/net/dev",
          "Inter-|   Receive                                                |  Transmit\n"
          " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls\n"
          "    lo:  5 1 0 0 0 0 0 0 " +
              std::to_string(loopback) + " 1 0 0 0 0 0 0\n  eth0:7000 1 0 0 0 0 0 0 " + std::to_string(ethernet) +
              " 1 0 0 0 0 0 0\n");
  }

 private:
  std::filesystem::path root_;
};

TEST_F(Network, CountsWhatInterfacesSentButNotLoopback) {
  count(1000, 500);
  write("sys/class/net/eth0/speed", "10000\n");
  write("sys/class/net/eth0/device/vendor", "0x15b3\n");
  const Wire wire(root());
  count(9000, 1700);
  const auto sent = wire.sent();
  EXPECT_EQ(sent.bytes, 1200);
  EXPECT_EQ(sent.interfaces, "eth0");
  EXPECT_EQ(sent.rate, 1.25e9);
}

TEST_F(Network, CountsPortsInWordsOfFourBytes) {
  count(0, 0);
  write("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "100\n");
  write("sys/class/infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
  const Wire wire(root());
  write("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "1100\n");
  const auto sent = wire.sent();
  EXPECT_EQ(sent.bytes, 4000);
  EXPECT_EQ(sent.interfaces, "mlx5_0:1");
  EXPECT_EQ(sent.rate, 25e9);
}

TEST_F(Network, SumsTheRailsThatCarryAndNotTheOthers) {
  count(0, 0);
  const std::string ports = "sys/class/infiniband/";
  for (const std::string rail : {"mlx5_0", "mlx5_1", "mlx5_2"}) {
    write(ports + rail + "/ports/1/counters/port_xmit_data", "0\n");
    write(ports + rail + "/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  }
  const Wire wire(root());
  write(ports + "mlx5_0/ports/1/counters/port_xmit_data", "1000\n");
  write(ports + "mlx5_1/ports/1/counters/port_xmit_data", "900\n");
  write(ports + "mlx5_2/ports/1/counters/port_xmit_data", "5\n");
  const auto sent = wire.sent();
  EXPECT_EQ(sent.interfaces, "mlx5_0:1,mlx5_1:1");
  EXPECT_EQ(sent.rate, 25e9);
}

TEST_F(Network, CountsOnceWhatStandsOnAnother) {
  count(0, 0);
  write("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "0\n");
  write("sys/class/net/eth0/type", "32\n");  // IP over InfiniBand
  const Wire over_port(root());
  write("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "300\n");
  count(0, 1100);
  EXPECT_EQ(over_port.sent().bytes, 1200);
  EXPECT_EQ(over_port.sent().interfaces, "mlx5_0:1");

  write("sys/class/net/eth0/type", "1\n");  // Ethernet: its ports count only what bypasses the kernel
  const Wire beside(root());
  count(0, 2100);
  EXPECT_EQ(beside.sent().bytes, 1000);
  write("sys/class/net/eth0/lower_eth1/type", "1\n");  // a bond
  const Wire bond(root());
  count(0, 3100);
  EXPECT_EQ(bond.sent().bytes, 0);
}

TEST(Carried, TellsTheLinkOnlyWhereItCarriedTheMessages) {
  const Wire::Traffic here{.bytes = 600, .interfaces = "eth0", .rate = 1.25e9};
  const auto texts = [](const Carried& carried) { return Json(carried.conditions).dump(); };
  const Carried through = carried_between(here, 1200, 1000, false);
  EXPECT_EQ(through.link_rate, 1.25e9);
  EXPECT_EQ(texts(through), R"({"network_bytes":1200,"network_interface":"eth0","link_rate":1.25e+09})");
  EXPECT_FALSE(through.verification.has_value());
  const Carried elsewhere = carried_between(here, 1200, 1e6, false);
  EXPECT_EQ(elsewhere.link_rate, 0.0);
  EXPECT_EQ(texts(elsewhere), R"({"network_bytes":1200})");
}

TEST(Carried, IsVerifiedWhereHostsShareAKernel) {
  const Wire::Traffic here{.bytes = 600, .interfaces = "eth0", .rate = 0.0};
  const auto passed = [&](double bytes) { return carried_between(here, bytes, 1000, true).verification->passed(); };
  EXPECT_TRUE(passed(1200));
  EXPECT_TRUE(passed(500));
  EXPECT_FALSE(passed(499));
  EXPECT_FALSE(passed(0));
  EXPECT_FALSE(carried_between(here, 0, 0, true).verification.has_value());
}

TEST_F(Network, DoesNotBelieveAVirtualInterface) {
  count(0, 0);
  write("sys/class/net/eth0/speed", "10000\n");
  const Wire wire(root());
  count(0, 1);
  EXPECT_EQ(wire.sent().rate, 0);
}

TEST_F(Network, IsQuietWhereNothingIsKnown) {
  const Wire nothing(root());
  EXPECT_EQ(nothing.sent().bytes, 0);
  count(0, 10);
  write("sys/class/net/eth0/speed", "-1\n");
  const Wire wire(root());
  EXPECT_EQ(wire.sent().interfaces, "");
  count(0, 11);
  EXPECT_EQ(wire.sent().rate, 0);
}

// The standard error of a separate process, because the timer and the signal are per process.
template <class Work>
std::string told_by(Work work) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    tell_step_every(0.05, 12);
    work();
    usleep(300000);  // resumes after the signal or returns early: both are fine
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 512> part{};
  for (ssize_t length = 0; (length = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(length));
  }
  close(ends[0]);
  return text;
}

TEST(LastStep, IsToldWhenTheTimeIsOver) {
  const std::string text = told_by([] {
    set_step("warm-up");
    set_step("allreduce, 64 B, timed" + std::string(400, '.'));
  });
  EXPECT_TRUE(text.starts_with("step 12 allreduce, 64 B, timed..")) << text;
  EXPECT_TRUE(text.ends_with(".\n")) << text;
  EXPECT_LE(text.size(), 240U);
}

TEST(LastStep, IsToldAtEachTimeLimit) {
  const std::string text = told_by([] {
    set_step("first");
    usleep(300000);
    set_step("second");
  });
  EXPECT_TRUE(text.starts_with("step 12 first\n")) << text;
  EXPECT_TRUE(text.ends_with("step 12 second\n")) << text;
}

TEST(LastStep, IsTheProgressWhereABenchmarkTellsNone) {
  for (const bool show : {false, true}) {
    const std::string text = told_by([&] {
      alignas(Communicator) const std::array<std::byte, sizeof(Communicator)> unused{};  // never accessed
      const std::vector<std::vector<int>> places;
      const Context context{
          .ranks = reinterpret_cast<const Communicator&>(unused), .places = places, .show_progress = show};
      context.progress(3, 7, 1e9, "flop/s");
    });
    EXPECT_TRUE(text.ends_with("step 12 3 of 7 steps done\n")) << text;
  }
}

}  // namespace
}  // namespace banzuke
