// The record as C++ writes it, against the golden records that the Python side reads.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>

#include "core/application.hpp"

namespace banzuke {
namespace {

std::string golden(const std::string& name) {
  std::ifstream in(std::string(BANZUKE_SOURCE_DIR) + "/schema/golden/" + name + ".json");
  std::string line;
  std::getline(in, line);
  return line;
}

Member member(const std::string& host, const std::string& binding, const std::string& program = "stream-omp") {
  return {.program = program,
          .host = host,
          .binding = binding,
          .memory = "default",
          .pages = "transparent",
          .compiler = "GNU 12.2.0",
          .flags = "-O3",
          .mpi = "none"};
}
constexpr const char* not_finite =
    "verification failed: mean relative error of the arrays is not finite, allowed 1e-13";

RecordHeader header() {
  return {.benchmark = "stream",
          .backend = "omp",
          .parameters = Json::object({{"n", 1000}, {"stores", "plain"}}),
          .started = "2026-01-02T03:04:05.678Z",
          .ended = "2026-01-02T03:04:06.000Z",
          .members = {member("h1", "0|1"), member("h1", "2|3"), member("h2", "0|1"), member("h2", "2|3")}};
}

Result result(double error) {
  return {.metrics = {{"triad_bandwidth",
                       "B/s",
                       {1e10, 1.25e10},
                       {.counted = 24000, .demand = {{"memory.bytes", 24000}, {"flops.fp64", 2000}}}}},
          .breakdown = {},
          .verification = {{"mean relative error of the arrays", error, 1e-13}},
          .conditions = {{"huge_page_fraction", 1.0}},
          .software = {{"blas", "none"}}};
}

TEST(Record, VerifiedMatchesTheGolden) {
  EXPECT_EQ(make_record(header(), result(1e-15), "").dump(), golden("verified"));
}

TEST(Record, FailedMatchesTheGoldenAndHasNoFigure) {
  EXPECT_EQ(make_record(header(), result(std::nan("")), not_finite).dump(), golden("failed"));
}

Breakdown breakdown() {
  return {.along = "share of the passes",
          .ends = {0.5, 1},
          .flops = {1000, 1000},
          .seconds = {{"loop", {0.25, 0.125}}, {"wait", {0, 0.0625}}}};
}

TEST(Record, WithABreakdownMatchesTheGolden) {
  Result broken_down = result(1e-15);
  broken_down.breakdown = breakdown();
  EXPECT_EQ(make_record(header(), broken_down, "").dump(), golden("breakdown"));
}

TEST(Record, BreakdownOfAFailureIsWithheld) {
  Result broken_down = result(std::nan(""));
  broken_down.breakdown = breakdown();
  EXPECT_EQ(make_record(header(), broken_down, not_finite).dump(), golden("failed"));
}

TEST(Record, WithACurveAndPairsMatchesTheGolden) {
  const Work message{.counted = 8};
  Result swept = result(1e-15);
  swept.curves = {{"size",
                   {.along = "message size",
                    .unit = "B",
                    .points = {{0, {{"latency", "s", {2e-7, 2.5e-7}, {}}}},
                               {8, {{"latency", "s", {2.5e-7}, message, {{"measured", 5e-8, "a direct copy"}}}}}}}}};
  swept.pairs = {{"latency", {.unit = "s", .from = {0, 0, 1}, .to = {1, 2, 2}, .values = {1e-6, 2e-6, 1e-6}}}};
  EXPECT_EQ(make_record(header(), swept, "").dump(), golden("curve"));
  EXPECT_EQ(make_record(header(), swept, not_finite).dump().find("latency"), std::string::npos);
}

TEST(Record, WithSeriesAndDistributionsMatchesTheGolden) {
  Result timed = result(1e-15);
  timed.series = {
      {"time", {"s", 1e-9, {{0, 0, 0, "h1", 0.006128, {0, 12, 1130}}, {0, 1, 1, "h1", 0.0061285, {3, 0, 100}}}, 6}}};
  timed.distributions = {{"noise", {"s", 1e-9, {0, 3, 12, 100, 1130}, {2, 1, 1, 1, 1}}}};
  EXPECT_EQ(make_record(header(), timed, "").dump(), golden("series"));
  EXPECT_EQ(make_record(header(), timed, not_finite).dump().find("1130"), std::string::npos);
}

TEST(Record, HostsAndBindingsAreGroupedAtScale) {
  auto large = header();
  large.members.clear();
  for (int rank = 0; rank < 40000; ++rank) large.members.push_back(member("node0", rank % 4 == 0 ? "0|1" : "2|3"));
  large.members.back().binding = "4|5";
  large.members.back().memory = large.members.back().pages = "";  // unknown to the kernel
  const std::string text = make_record(large, result(0.0), "").dump();
  EXPECT_NE(text.find(R"("hosts":[{"names":"node0","ranks":"0-39999"}])"), std::string::npos);
  EXPECT_NE(text.find(R"({"ranks":"39999","threads":["4","5"]}])"), std::string::npos);
}

// Eight ranks on each of 10,000 hosts, with a gap of one in the numbering.
RecordHeader screen() {
  auto out = header();
  out.members.clear();
  for (int host = 1; host <= 10'001; ++host) {
    if (host == 5000) continue;
    const std::string digits = std::to_string(host);
    const std::string name = "node" + std::string(5 - digits.size(), '0') + digits;
    for (int rank = 0; rank < 8; ++rank) out.members.push_back(member(name, std::to_string(rank)));
  }
  return out;
}

TEST(Record, OfTenThousandHostsMatchesTheGoldenAndIsShort) {
  const std::string text = make_record(screen(), result(1e-15), "").dump();
  EXPECT_EQ(text, golden("screen"));
  EXPECT_LT(text.size(), 3000);
}

std::string hosts_of(const std::vector<std::string>& names) {
  auto of = header();
  of.members.clear();
  for (const auto& name : names) of.members.push_back(member(name, "0"));
  const std::string text = make_record(of, result(0.0), "").dump();
  const auto begin = text.find(R"("hosts":)") + 8;
  return text.substr(begin, text.find(']', text.rfind(R"("ranks":")", text.find(R"("binding")"))) + 1 - begin);
}

TEST(Hosts, InARowAreWrittenAsARange) {
  EXPECT_EQ(hosts_of({"n8", "n9", "n10"}), R"([{"names":"n[8-10]","ranks":"0-2"}])");
  EXPECT_EQ(hosts_of({"n08-ib", "n09-ib"}), R"([{"names":"n[08-09]-ib","ranks":"0-1"}])");
  EXPECT_EQ(hosts_of({"r1n1", "r1n2", "r2n1"}), R"([{"names":"r1n[1-2]","ranks":"0-1"},{"names":"r2n1","ranks":"2"}])");
  EXPECT_EQ(hosts_of({"n2", "n1"}), R"([{"names":"n2","ranks":"0"},{"names":"n1","ranks":"1"}])");
  EXPECT_EQ(hosts_of({"n9", "n010"}), R"([{"names":"n9","ranks":"0"},{"names":"n010","ranks":"1"}])");
  EXPECT_EQ(hosts_of({"a", "b"}), R"([{"names":"a","ranks":"0"},{"names":"b","ranks":"1"}])");
  EXPECT_EQ(hosts_of({"n[1", "n[2"}), R"([{"names":"n[1","ranks":"0"},{"names":"n[2","ranks":"1"}])");
  EXPECT_EQ(hosts_of({"9999999999", "10000000000"}),
            R"([{"names":"9999999999","ranks":"0"},{"names":"10000000000","ranks":"1"}])");
}

TEST(Hosts, WithUnequalOrScatteredRanksStandAlone) {
  EXPECT_EQ(hosts_of({"n1", "n1", "n2"}), R"([{"names":"n1","ranks":"0-1"},{"names":"n2","ranks":"2"}])");
  EXPECT_EQ(hosts_of({"n1", "n2", "n1", "n2", "n1", "n2"}),
            R"([{"names":"n1","ranks":"0-4:1/2"},{"names":"n2","ranks":"1-5:1/2"}])");
}

TEST(Member, ComesBackAsItWasSent) {
  Member sent = member("h1", "0|1");
  sent.devices = "GPU-1|GPU-2";
  const Member read = Member::read(sent.text());
  EXPECT_EQ(read.text(), sent.text());
  EXPECT_EQ(read.devices, sent.devices);
  EXPECT_EQ(read.pages, "transparent");
  EXPECT_EQ(read.mpi, sent.mpi);
  EXPECT_THROW(Member::read("something else"), std::runtime_error);
}

TEST(Work, ManyTimesAsMuchAsksForAsManyTimesMore) {
  const Work one{.counted = 2, .demand = {{"memory.bytes", 24}, {"flops.fp64", 2}, {"memory.bytes", 8}}};
  const Work three = one * 3.0;
  EXPECT_EQ(three.counted, 6);
  EXPECT_EQ(demanded(three, "memory.bytes"), 96);
  EXPECT_EQ(demanded(three, "link.bytes"), 0);
}

// Records of future benchmarks: each shape in the schema must hold what a benchmark of its kind will write.

// One transform over two hosts, bound by the links as well as by memory.
TEST(Record, OfATransformOverTwoHostsMatchesTheGolden) {
  RecordHeader fft = header();
  fft.benchmark = "fft";
  fft.backend = "mpi";
  fft.parameters = Json::object({{"n", 1048576}, {"order", "natural"}});
  for (auto& one : fft.members) one.program = "fft-mpi";
  const Work transform{.counted = 1.048576e8,
                       .demand = {{"flops.fp64", 1.048576e8},
                                  {"memory.bytes", 1.00663296e8},
                                  {.resource = "link.bytes", .amount = 2.5165824e7, .busiest = "host"}}};
  Result out = result(1e-15);
  out.metrics = {{"flop_rate", "flop/s", {4e9, 4.1e9, 3.9e9}, transform}, {"time", "s", {0.026, 0.0255}, transform}};
  out.breakdown = Breakdown{.along = "share of the transform",
                            .ends = {1},
                            .flops = {1.048576e8},
                            .seconds = {{"local", {0.011}}, {"transpose", {0.006}}, {"exchange", {0.009}}}};
  out.verification = {{"largest difference after the inverse over eps log2 N", 0.4, 16}};
  out.software = {{"library", "own"}};
  EXPECT_EQ(make_record(fft, out, "").dump(), golden("fft"));
}

// Two areas of storage, written and read, with the rate over time.
TEST(Record, OfStorageWithTwoAreasMatchesTheGolden) {
  RecordHeader ior = header();
  ior.benchmark = "ior";
  ior.backend = "mpi";
  ior.parameters = Json::object({{"block", 1073741824}, {"shared", true}});
  for (auto& one : ior.members) one.program = "ior-mpi";
  const double bytes = 4294967296.0;
  Result out = result(1e-15);
  out.metrics = {
      {"write_bandwidth",
       "B/s",
       {1e9, 1.1e9},
       {bytes, {{.resource = "storage.write", .amount = bytes, .area = "scratch"}}}},
      {"copy_bandwidth",
       "B/s",
       {9e8},
       {bytes,
        {{.resource = "storage.read", .amount = bytes, .area = "scratch"},
         {.resource = "storage.write", .amount = bytes, .area = "burst"}}}},
      {"create_rate", "1/s", {12000}, {4000, {{.resource = "storage.operations", .amount = 4000, .area = "scratch"}}}}};
  out.curves = {
      {"written",
       {.along = "time",
        .unit = "s",
        .points = {{1, {{"write_bandwidth", "B/s", {9e8}, {}}}}, {2, {{"write_bandwidth", "B/s", {1.2e9}, {}}}}}}}};
  out.areas = {{"scratch", {"/scratch/user", "lustre", {{"stripe_count", 4}, {"stripe_size", 1048576}}}},
               {"burst", {"/local/user", "xfs", {}}}};
  out.verification = {{"bytes read back otherwise than written", 0, 0}};
  EXPECT_EQ(make_record(ior, out, "").dump(), golden("storage"));
}

// One job of two programs on different nodes: two ranks drive devices, four do not.
TEST(Record, OfTwoProgramsMatchesTheGolden) {
  RecordHeader hpl = header();
  hpl.benchmark = "hpl";
  hpl.backend = "cuda+blas";
  hpl.members = {member("g1", "0|1", "hpl-cuda"), member("g1", "2|3", "hpl-cuda"), member("c1", "0|1", "hpl-blas"),
                 member("c1", "2|3", "hpl-blas"), member("c2", "0|1", "hpl-blas"), member("c2", "2|3", "hpl-blas")};
  hpl.members[0].devices = "GPU-8f2a";
  hpl.members[1].devices = "GPU-91c0";
  hpl.members[0].memory = hpl.members[1].memory = "bind:0";
  hpl.members[0].compiler = hpl.members[1].compiler = "nvcc 13.0";
  const Work all{.counted = 6e12,
                 .demand = {{.resource = "flops.fp64", .amount = 5e12, .group = 0},
                            {.resource = "flops.fp64", .amount = 1e12, .group = 1},
                            {.resource = "pcie.bytes", .amount = 1e10, .group = 0, .busiest = "device"}}};
  Result out = result(1e-15);
  out.metrics = {{"flop_rate", "flop/s", {2e13}, all}};
  out.software = {{"library", "cublas 13"}};
  EXPECT_EQ(make_record(hpl, out, "").dump(), golden("two-programs"));
}

TEST(Record, GroupsOfOneProgramStayApart) {
  RecordHeader twice = header();
  twice.members[2].group = twice.members[3].group = "1";
  const std::string text = make_record(twice, result(0.0), "").dump();
  EXPECT_NE(text.find(R"("hosts":[{"names":"h1","ranks":"0-1"}])"), std::string::npos);
  EXPECT_NE(text.find(R"("hosts":[{"names":"h2","ranks":"2-3"}])"), std::string::npos);
}

// Transfers in both directions between the memories of a node: the host's and those of two devices.
TEST(Record, OfPairsOfDevicesMatchesTheGolden) {
  RecordHeader transfer = header();
  transfer.benchmark = "transfer";
  transfer.backend = "cuda";
  transfer.members = {member("g1", "0", "transfer-cuda")};
  transfer.members[0].devices = "GPU-8f2a|GPU-91c0";
  Result out = result(1e-15);
  out.metrics = {{"bandwidth", "B/s", {4e10}, {.counted = 1e9, .demand = {{.resource = "pcie.bytes", .amount = 1e9}}}}};
  out.pairs = {{"bandwidth",
                {.unit = "B/s",
                 .from = {0, 1, 1, 2},
                 .to = {1, 0, 2, 1},
                 .values = {4e10, 4.2e10, 3e11, 3.1e11},
                 .ends = {{"g1"}, {"g1", "GPU-8f2a"}, {"g1", "GPU-91c0"}}}}};
  EXPECT_EQ(make_record(transfer, out, "").dump(), golden("devices"));
}

// Power of two hosts and a device while a case ran, each by its own sensor's clock.
TEST(Record, WithPowerOverTimeMatchesTheGolden) {
  Result out = result(1e-15);
  out.series = {{"power",
                 {.unit = "W",
                  .resolution = 0.001,
                  .lines = {{.host = "h1", .values = {310250, 311000}, .sensor = "ipmi", .times = {0, 1}},
                            {.host = "h2", .values = {298000}, .sensor = "ipmi", .times = {0.5}},
                            {.host = "h2",
                             .values = {70100, 698000, 699500},
                             .sensor = "nvml",
                             .device = "GPU-8f2a",
                             .times = {0.05, 0.15, 0.25}}}}}};
  EXPECT_EQ(make_record(header(), out, "").dump(), golden("power"));
}

// `progress` lines as banzuke/launch/process.py reads them.
std::string progress(bool asked) {
  alignas(Communicator) const std::array<std::byte, sizeof(Communicator)> unused{};  // progress never accesses it
  const std::vector<std::vector<int>> places;
  const Context context{
      .ranks = reinterpret_cast<const Communicator&>(unused), .places = places, .show_progress = asked};
  testing::internal::CaptureStderr();
  context.progress(1, 4);
  context.progress(310, 1000, 2.41e11, "flop/s");
  context.progress(1000, 1000, std::nan(""), "flop/s");
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, TellsTheShareAndTheRate) {
  EXPECT_EQ(progress(true), "progress 1 4\nprogress 310 1000 2.41e+11 flop/s\nprogress 1000 1000\n");
}

TEST(Progress, IsSilentUnlessAskedFor) { EXPECT_EQ(progress(false), ""); }

TEST(Verification, WhatIsNotFiniteNeverPassesAndHasOneName) {
  for (const double value : {std::nan(""), -std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Verification check{"residual", value, 16.0};
    EXPECT_FALSE(check.passed());
    EXPECT_EQ(check.text(), "residual is not finite, allowed 16");
  }
  EXPECT_EQ((Verification{"residual", 20.5, 16.0}).text(), "residual is 20.5, allowed 16");
  EXPECT_TRUE((Verification{"x", 1.0, 1.0}).passed());
  EXPECT_FALSE((Verification{"x", 1.1, 1.0}).passed());
}

TEST(Verification, NaNIsTheLargestDifferenceWhateverFollows) {
  EXPECT_EQ(larger(1.0, 2.0), 2.0);
  EXPECT_EQ(larger(2.0, 1.0), 2.0);
  EXPECT_FALSE(std::isfinite(larger(larger(1.0, std::nan("")), 2.0)));
}

}  // namespace
}  // namespace banzuke
