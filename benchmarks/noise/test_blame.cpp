// Finds who had the processor, from lines as the kernel's tracer writes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "trace.hpp"

namespace banzuke::noise {
namespace {

constexpr const char* begins = " banzuke-noise-o-30 [001] ...1. 10.000000: tracing_mark_write: banzuke begins";
constexpr const char* ends = " banzuke-noise-o-30 [001] ...1. 11.000000: tracing_mark_write: banzuke ends";

Blamer blamer(std::initializer_list<const char*> lines) {
  Blamer out;
  out.line("# tracer: nop");
  out.line(begins);
  for (const char* line : lines) out.line(line);
  out.line(ends);
  return out;
}

Blame find(const Blamer& blamer, const std::string& who) {
  const auto blame = blamer.blame();
  const auto found = std::ranges::find(blame, who, &Blame::who);
  return found == blame.end() ? Blame{} : *found;
}

TEST(Blamer, AProcessThatTookTurns) {
  const Blamer found = blamer({
      " banzuke-noise-o-30 [001] d..2. 10.100000: sched_switch: prev_comm=banzuke-noise-o prev_pid=30 prev_prio=120 "
      "prev_state=R ==> next_comm=kworker/1:2 next_pid=7 next_prio=120",
      "    kworker/1:2-7   [001] d..2. 10.100040: sched_switch: prev_comm=kworker/1:2 prev_pid=7 prev_prio=120 "
      "prev_state=I ==> next_comm=banzuke-noise-o next_pid=30 next_prio=120",
      " banzuke-noise-o-30 [001] d..2. 10.200000: sched_switch: prev_comm=banzuke-noise-o prev_pid=30 prev_prio=120 "
      "prev_state=R ==> next_comm=kworker/1:2 next_pid=7 next_prio=120",
      "    kworker/1:2-7   [001] d..2. 10.200010: sched_switch: prev_comm=kworker/1:2 prev_pid=7 prev_prio=120 "
      "prev_state=I ==> next_comm=banzuke-noise-o next_pid=30 next_prio=120",
  });
  const Blame worker = find(found, "kworker/1:2");
  EXPECT_EQ(worker.kind, "process");
  EXPECT_EQ(worker.events, 2);
  EXPECT_NEAR(worker.seconds, 50e-6, 1e-9);
  EXPECT_NEAR(worker.longest, 40e-6, 1e-9);
  EXPECT_EQ(found.blame().size(), 1U);
  EXPECT_EQ(found.lost(), 0);
}

TEST(Blamer, OneThatIsInterruptedDoesNotCountThatTime) {
  const Blamer found = blamer({
      " banzuke-noise-o-30 [001] d.h1. 10.100000: local_timer_entry: vector=236",
      " banzuke-noise-o-30 [001] d.h1. 10.100003: local_timer_exit: vector=236",
      " banzuke-noise-o-30 [001] ..s1. 10.100004: softirq_entry: vec=1 [action=TIMER]",
      " banzuke-noise-o-30 [001] d.h1. 10.100006: irq_handler_entry: irq=36 name=virtio1-req.0",
      " banzuke-noise-o-30 [001] d.h1. 10.100011: irq_handler_exit: irq=36 ret=handled",
      " banzuke-noise-o-30 [001] ..s1. 10.100012: softirq_exit: vec=1 [action=TIMER]",
  });
  EXPECT_NEAR(find(found, "local timer").seconds, 3e-6, 1e-9);
  EXPECT_EQ(find(found, "local timer").kind, "interrupt");
  EXPECT_NEAR(find(found, "virtio1-req.0").seconds, 5e-6, 1e-9);
  EXPECT_EQ(find(found, "virtio1-req.0").kind, "interrupt");
  EXPECT_NEAR(find(found, "TIMER").seconds, 3e-6, 1e-9);
  EXPECT_EQ(find(found, "TIMER").kind, "softirq");
}

TEST(Blamer, OthersAreOneAfterTheOtherAndIdleIsSaid) {
  const Blamer found = blamer({
      " banzuke-noise-o-30 [001] d..2. 10.1: sched_switch: prev_comm=banzuke-noise-o prev_pid=30 prev_prio=120 "
      "prev_state=S ==> next_comm=a [1] b next_pid=8 next_prio=120",
      " a [1] b-8 [001] d..2. 10.2: sched_switch: prev_comm=a [1] b prev_pid=8 prev_prio=120 prev_state=S ==> "
      "next_comm=swapper/1 next_pid=0 next_prio=120",
      " <idle>-0 [001] d..2. 10.4: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> "
      "next_comm=banzuke-noise-o next_pid=30 next_prio=120",
  });
  EXPECT_NEAR(find(found, "a [1] b").seconds, 0.1, 1e-9);
  EXPECT_NEAR(find(found, "idle").seconds, 0.2, 1e-9);
  EXPECT_EQ(found.blame().front().who, "idle");
  EXPECT_EQ(found.lost(), 0);
}

// Some kernels leave out switches of some processes; the time of these is charged to nobody.
TEST(Blamer, TimeBeforeASwitchThatIsMissingIsNobodys) {
  const Blamer found = blamer({
      " banzuke-noise-o-30 [001] d..2. 10.1: sched_switch: prev_comm=banzuke-noise-o prev_pid=30 prev_prio=120 "
      "prev_state=R ==> next_comm=guest next_pid=70 next_prio=120",
      " guest-70 [001] d.h1. 10.102: local_timer_entry: vector=236",
      " guest-70 [001] d.h1. 10.103: local_timer_exit: vector=236",
      " banzuke-noise-o-30 [001] d.h1. 10.5: local_timer_entry: vector=236",
      " banzuke-noise-o-30 [001] d.h1. 10.501: local_timer_exit: vector=236",
      " hidden-71 [001] d.h1. 10.6: local_timer_entry: vector=236",
      " hidden-71 [001] d.h1. 10.601: local_timer_exit: vector=236",
      " hidden-71 [001] d..2. 10.602: sched_switch: prev_comm=hidden prev_pid=71 prev_prio=120 prev_state=R ==> "
      "next_comm=banzuke-noise-o next_pid=30 next_prio=120",
  });
  EXPECT_NEAR(find(found, "guest").seconds, 0.002, 1e-9);
  EXPECT_NEAR(find(found, "hidden").seconds, 0.001, 1e-9);
  EXPECT_NEAR(find(found, "local timer").seconds, 0.003, 1e-9);
  EXPECT_EQ(found.lost(), 2);
}

TEST(Blamer, WhatIsOutsideTheMarksDoesNotCount) {
  Blamer found;
  found.line(" banzuke-noise-o-30 [001] d.h1. 9.1: local_timer_entry: vector=236");
  found.line(begins);
  found.line(" banzuke-noise-o-30 [001] d.h1. 10.2: local_timer_exit: vector=236");
  found.line(ends);
  found.line(" banzuke-noise-o-30 [001] d.h1. 12.1: local_timer_entry: vector=236");
  found.line(" banzuke-noise-o-30 [001] d.h1. 12.2: local_timer_exit: vector=236");
  EXPECT_TRUE(found.blame().empty());
}

TEST(Blamer, TimesThatAreNoneAreNobodys) {
  for (const std::string time : {"nan", "inf", "-inf", "1e300"}) {
    const std::string damaged = " banzuke-noise-o-30 [001] d.h1. " + time + ": local_timer_exit: vector=236";
    const Blamer found =
        blamer({" banzuke-noise-o-30 [001] d.h1. 10.1: local_timer_entry: vector=236", damaged.c_str()});
    EXPECT_TRUE(found.blame().empty()) << time;
  }
}

TEST(Blamer, LostEventsAndLinesThatAreNoneDoNoHarm) {
  const Blamer found = blamer({"CPU:1 [LOST 54 EVENTS]", "", "x", " [", "a-1 [001] x: y", "- [0] 1.0: sched_switch: ",
                               " banzuke-noise-o-30 [001] 10.3: _entry:", "a-b [001] .... 9.9: softirq_exit"});
  EXPECT_GE(found.lost(), 54);
}

TEST(Mask, IsHexadecimalInGroups) {
  EXPECT_EQ(mask({0, 1}), "00000003");
  EXPECT_EQ(mask({4, 35}), "00000008,00000010");
  EXPECT_EQ(mask({199}), "00000080,00000000,00000000,00000000,00000000,00000000,00000000");
}

}  // namespace
}  // namespace banzuke::noise
