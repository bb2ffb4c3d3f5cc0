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

constexpr const char* not_finite =
    "verification failed: mean relative error of the arrays is not finite, allowed 1e-13";

RecordHeader header() {
  return {.benchmark = "stream",
          .backend = "omp",
          .parameters = Json::object({{"n", 1000}, {"stores", "plain"}}),
          .ranks = 4,
          .threads = 2,
          .started = "2026-01-02T03:04:05.678Z",
          .ended = "2026-01-02T03:04:06.000Z",
          .hosts = {"h1", "h1", "h2", "h2"},
          .bindings = {"0|1", "2|3", "0|1", "2|3"},
          .software = {{"compiler", "GNU 12.2.0"}}};
}

Result result(double error) {
  return {.metrics = {{"triad_bandwidth", "B/s", {1e10, 1.25e10}, {.flops = 2000, .bytes = 24000, .moved = 24000}}},
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

TEST(Record, WithACurveAndMatricesMatchesTheGolden) {
  const Work message{.flops = 0, .bytes = 8, .moved = 0};
  Result swept = result(1e-15);
  swept.curve = Curve{.along = "message size",
                      .unit = "B",
                      .points = {{0, {{"latency", "s", {2e-7, 2.5e-7}, {}}}},
                                 {8, {{"latency", "s", {2.5e-7}, message, {{"measured", 5e-8, "a direct copy"}}}}}}};
  swept.matrices = {{"latency", {"s", {{}, {1e-6}, {2e-6, 1e-6}}}}};
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
  large.hosts.clear();
  large.bindings.clear();
  for (int rank = 0; rank < 40000; ++rank) {
    large.hosts.push_back("node" + std::to_string(rank / 40000));
    large.bindings.emplace_back(rank % 4 == 0 ? "0|1" : "2|3");
  }
  large.bindings.back() = std::string("0");
  const std::string text = make_record(large, result(0.0), "").dump();
  EXPECT_NE(text.find(R"("hosts":[{"name":"node0","ranks":"0-39999"}])"), std::string::npos);
  EXPECT_NE(text.find(R"({"ranks":"39999","threads":["0"]}])"), std::string::npos);
}

// `progress` lines as banzuke/launch/process.py reads them.
std::string progress(bool asked) {
  alignas(Communicator) const std::array<std::byte, sizeof(Communicator)> unused{};  // progress asks no rank anything
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

}  // namespace
}  // namespace banzuke
