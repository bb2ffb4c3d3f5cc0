// Chases and loads on a device, and whether their checks detect errors.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/gpu/choose.hpp"
#include "core/testing.hpp"
#include "gpu_launches.hpp"
#include "memory.hpp"
#include "ring.hpp"

namespace banzuke::memory {
namespace {

TEST(OnDevices, ChasesVisitAllLines) {
  Chases chases({.test = "latency", .max_size = 1 << 20});
  for (const std::int64_t size : {256, 384, 4096, 6144, 1 << 20}) {
    EXPECT_EQ(chases.prepare(size), 0) << size;
    for (const std::int64_t loads : {1, 15, 16, 1001}) {
      EXPECT_GT(chases.run(loads), 0.0);
      EXPECT_EQ(chases.wrong(), 0) << size << ' ' << loads;
    }
  }
}

TEST(OnDevices, LoadsAreThoseOfAllWords) {
  Loops loops({.max_size = 1 << 22});
  for (const std::int64_t size : {512, 4096, 6144, 1 << 20, 1 << 22}) {
    EXPECT_EQ(loops.prepare(size), 0);
    for (const std::int64_t passes : {1, 2, 5}) {
      EXPECT_GT(loops.run(passes), 0.0);
      EXPECT_EQ(loops.wrong(), 0) << size << ' ' << passes;
    }
  }
}

// How many of the lines of a cycle on the device are right if one leads elsewhere.
std::int64_t right_lines(std::int64_t lines, const std::vector<std::int64_t>& next,
                         const std::vector<std::int64_t>& place) {
  gpu::use_given();
  const gpu::Stream stream;
  gpu::DeviceBuffer<std::byte> data(static_cast<std::size_t>(lines * device_line));
  const auto successors = gpu::on_device(next, stream);
  const auto places = gpu::on_device(place, stream);
  gpu::PinnedBuffer<std::int64_t> right(3);
  launch_join(lines, data.data(), successors.data(), places.data(), stream);
  launch_count(lines, data.data(), right.data(), 3, stream);
  stream.wait();
  return right.span()[0] + right.span()[1] + right.span()[2];
}

TEST(OnDevices, ALineThatLeadsElsewhereIsCounted) {
  constexpr std::int64_t lines = 1000;
  std::vector<std::int64_t> next(lines);
  std::vector<std::int64_t> place(lines);
  for (std::int64_t i = 0; i < lines; ++i) {
    next[static_cast<std::size_t>(i)] = (i + 1) % lines;
    place[static_cast<std::size_t>(i)] = i;
  }
  EXPECT_EQ(right_lines(lines, next, place), lines);
  auto shorter = next;
  shorter[10] = 12;
  EXPECT_EQ(right_lines(lines, shorter, place), lines - 1) << "a line that is left out";
  auto itself = next;
  itself[10] = 10;
  EXPECT_EQ(right_lines(lines, itself, place), lines - 1) << "a line that leads to itself";
  auto two = next;
  std::swap(two[10], two[500]);
  EXPECT_EQ(right_lines(lines, two, place), lines - 2) << "two cycles";
  auto turned = place;
  for (auto& one : turned) one = (one + 1) % lines;
  EXPECT_EQ(right_lines(lines, next, turned), lines - 1) << "a cycle that begins elsewhere";
}

TEST(OnDevices, LevelsAreSmallerThanTheirCaches) {
  const auto l2 = static_cast<std::int64_t>(gpu::use_given().l2_cache);
  const std::vector<std::vector<int>> places;
  const Context context{.ranks = alone(), .places = places};
  const auto levels_of = [&](const char* test) { return levels({.test = test}, context); };
  ASSERT_EQ(levels_of("latency").size(), l2 > 0 ? 2 : 1);
  EXPECT_EQ(levels_of("latency").front().name(), "l1");
  ASSERT_EQ(levels_of("bandwidth").size(), l2 > 0 ? 1 : 0) << "no multiprocessor reads the same data twice";
  for (const Level& level : levels_of("bandwidth")) EXPECT_LT(level.size, l2);
}

TEST(OnDevices, WhatCannotBeMeasuredIsRefused) {
  const auto refusal = [](const Params& params) -> std::string {
    try {
      problem(params, 1);
    } catch (const UsageError& error) {
      return std::string(error.what()) + ". " + error.remedy();
    }
    return "";
  };
  EXPECT_NE(refusal({.test = "latency", .min_size = 128}).find("min_size=256"), std::string::npos);
  EXPECT_NE(refusal({.min_size = 8192, .max_size = 4096}).find("max_size=16384"), std::string::npos);
  EXPECT_EQ(refusal({.test = "latency"}), "");
  EXPECT_GE(problem({.max_size = 1 << 20}, 1).device_footprint, 1 << 20);
}

}  // namespace
}  // namespace banzuke::memory
