// Reads the kernel's counters from texts made up for the test and from this machine's files.
#include <gtest/gtest.h>

#include <sstream>

#include "core/binding.hpp"
#include "system.hpp"

namespace banzuke::noise {
namespace {

// Processor 1 is offline.
constexpr std::string_view sparse = R"(           CPU0       CPU2       CPU3
   4:          0         15          7  IO-APIC   4-edge      ttyS0
  36:          1        100         10  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0
  41:          0          5          5  IR-PCI-MSI 524289-edge      mlx5_comp0@pci:0000:3b:00.0
  99:          0          3          4  GICv3  27 Level     arch_timer
 120:          0          1          1  PCI-MSI 1-edge      eth0, eth1
NMI:          0          1          2   Non-maskable interrupts
LOC:        100        200        300   Local timer interrupts
ERR:          9
MIS:          0
IPI0:         1          2          3       Rescheduling interrupts
)";

TEST(Interrupts, CountTheProcessorsThatAreMeant) {
  const auto found = interrupts(sparse, {2, 3});
  EXPECT_EQ(found.at("ttyS0"), 22);
  EXPECT_EQ(found.at("virtio1-req.0"), 110);
  EXPECT_EQ(found.at("mlx5_comp0@pci:0000:3b:00.0"), 10);
  EXPECT_EQ(found.at("arch_timer"), 7);
  EXPECT_EQ(found.at("eth0, eth1"), 2);
  EXPECT_EQ(found.at("Local timer interrupts"), 500);
  EXPECT_EQ(found.at("Non-maskable interrupts"), 3);
  EXPECT_EQ(found.at("Rescheduling interrupts"), 5);
  EXPECT_FALSE(found.contains("ERR"));
  EXPECT_FALSE(found.contains(""));
}

TEST(Interrupts, OfAProcessorThatIsOffLineAreNone) {
  for (const auto& [name, count] : interrupts(sparse, {1})) EXPECT_EQ(count, 0) << name;
}

TEST(Interrupts, OfTwoHundredProcessors) {
  std::ostringstream text;
  text << "    ";
  for (int cpu = 0; cpu < 200; ++cpu) text << "       CPU" << cpu;
  text << "\nLOC:";
  for (int cpu = 0; cpu < 200; ++cpu) text << ' ' << 1000 + cpu;
  text << "   Local timer interrupts\n";
  EXPECT_EQ(interrupts(text.str(), {0, 42, 199}).at("Local timer interrupts"), 1000 + 1042 + 1199);
}

TEST(Interrupts, OfNothingAreNone) {
  EXPECT_TRUE(interrupts("", {0}).empty());
  EXPECT_TRUE(interrupts("no table\nat all\n", {0}).empty());
}

TEST(Softirqs, CountTheProcessorsThatAreMeant) {
  constexpr std::string_view text = R"(                    CPU0       CPU1
          HI:          1          2
       TIMER:    1130020    1033985
)";
  EXPECT_EQ(softirqs(text, {1}), (std::map<std::string, std::int64_t>{{"HI", 2}, {"TIMER", 1033985}}));
}

TEST(Stolen, IsTheEighthColumnOfEachProcessor) {
  constexpr std::string_view text = R"(cpu  1 2 3 4 5 6 7 900 9 10
cpu0 1 2 3 4 5 6 7 300 9 10
cpu1 1 2 3 4 5 6 7 600 9 10
cpu10 1 2 3 4 5 6 7 50 9 10
intr 38826328 0 0 0 0 0 0 1 2 3
)";
  EXPECT_EQ(stolen(text, {0, 1}), 900);
  EXPECT_EQ(stolen(text, {1}), 600);
  EXPECT_EQ(stolen("cpu0 1 2 3 4 5\n", {0}), 0);  // a kernel that does not report it
}

TEST(RunDelay, IsTheSecondNumber) {
  EXPECT_DOUBLE_EQ(run_delay("14 2500000000 7\n"), 2.5);
  EXPECT_LT(run_delay(""), 0.0);
}

TEST(SystemWatch, DamagedCountsAddNothingAndDoNotOverflow) {
  constexpr std::string_view table = "  CPU0 CPU1\nHI: -5 9223372036854775807\nHI: 3 9223372036854775807\n";
  EXPECT_EQ(softirqs(table, {0}).at("HI"), 3);
  EXPECT_EQ(softirqs(table, {1}).at("HI"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(stolen("cpu0 1 2 3 4 5 6 7 -8\n", {0}), 0);
}

TEST(SystemWatch, SeesTheTimersOfThisMachine) {
  const std::vector<int> cpus = allowed_cpus();
  EXPECT_FALSE(interrupts(proc_file("/proc/interrupts"), cpus).empty());
  EXPECT_FALSE(softirqs(proc_file("/proc/softirqs"), cpus).empty());
  EXPECT_GE(stolen(proc_file("/proc/stat"), cpus), 0);
  const Disturbances none = SystemWatch(cpus).since();
  EXPECT_GE(none.stolen_seconds, 0.0);
  for (const auto& [name, count] : none.interrupts) EXPECT_GT(count, 0) << name;
}

}  // namespace
}  // namespace banzuke::noise
