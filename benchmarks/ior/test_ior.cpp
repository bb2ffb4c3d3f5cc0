// Tests that need no files: layouts, orders, evidence, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "evidence.hpp"
#include "ior.hpp"
#include "layout.hpp"
#include "timeline.hpp"

namespace banzuke::ior {
namespace {

TEST(Permutation, HasEveryNumberOnce) {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 16, 17, 1000, 4097}) {
    std::vector<std::int64_t> found(static_cast<std::size_t>(count));
    const Permutation order(7, count);
    for (std::int64_t i = 0; i < count; ++i) found[static_cast<std::size_t>(i)] = order(i);
    const bool sorted = std::ranges::is_sorted(found);
    std::ranges::sort(found);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], i) << count;
    EXPECT_FALSE(count > 10 && sorted) << count;
  }
}

TEST(Permutation, ChangesWithTheSeed) {
  const Permutation one(1, 1000);
  const Permutation other(2, 1000);
  int equal = 0;
  for (std::int64_t i = 0; i < 1000; ++i) equal += one(i) == other(i) ? 1 : 0;
  EXPECT_LT(equal, 20);
}

TEST(Parts, CoverEveryByteOnce) {
  constexpr int ranks = 3;
  for (const std::string files : {"per-process", "shared"}) {
    for (const std::string order : {"sequential", "random"}) {
      const Params params{.files = files, .block = 96, .transfer = 32, .segments = 5, .order = order};
      std::vector<std::pair<std::string, std::int64_t>> written;
      std::vector<std::pair<std::string, std::int64_t>> read;
      for (int rank = 0; rank < ranks; ++rank) {
        const Part part(params, ranks, rank, 7, 0);
        const Part::Reading reading(part, params.transfers());
        for (std::int64_t i = 0; i < params.transfers(); ++i) {
          written.emplace_back(part.name(), part.offset_written(i));
          read.emplace_back(part.name(), reading.offset(i));
        }
      }
      EXPECT_EQ(written == read, order == "sequential");
      std::ranges::sort(written);
      std::ranges::sort(read);
      EXPECT_EQ(written, read);
      const std::int64_t file_bytes = params.rank_bytes() * (params.shared() ? ranks : 1);
      for (std::size_t i = 0; i < written.size(); ++i) {
        EXPECT_EQ(written[i].second, static_cast<std::int64_t>(i) * 32 % file_bytes);
      }
    }
  }
}

TEST(Parts, LieAsInIor) {
  const Params params{.files = "shared", .block = 64, .transfer = 32, .segments = 2};
  const Part part(params, 3, 1, 7, 0);
  std::vector<std::int64_t> offsets(4);
  for (std::int64_t i = 0; i < 4; ++i) offsets[static_cast<std::size_t>(i)] = part.offset_written(i);
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{64, 96, 256, 288}));
}

TEST(Parts, ThatWereWrittenInPartAreReadOnlyThere) {
  const Params params{.block = 1024, .transfer = 8, .order = "random"};
  const Part part(params, 1, 0, 7, 0);
  std::vector<std::int64_t> written(50);
  std::vector<std::int64_t> read(50);
  const Part::Reading reading(part, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    written[i] = part.offset_written(static_cast<std::int64_t>(i));
    read[i] = reading.offset(static_cast<std::int64_t>(i));
  }
  std::ranges::sort(written);
  std::ranges::sort(read);
  EXPECT_EQ(written, read);
}

TEST(Parts, OfAnotherRoundHaveOtherContents) {
  const Params params;
  EXPECT_NE(Part(params, 2, 1, 7, 0).file(), Part(params, 2, 1, 7, 1).file());
  EXPECT_NE(Part(params, 2, 1, 7, 0).file(), Part(params, 2, 0, 7, 0).file());
}

TEST(Timelines, KeepAllBytesHoweverLong) {
  Timeline timeline;
  double total = 0.0;
  double at = 1e-4;
  for (int i = 0; i < 50; ++i, at *= 1.5, total += 3.0) timeline.add(at, 3.0);
  EXPECT_EQ(std::accumulate(timeline.bytes().begin(), timeline.bytes().end(), 0.0), total);
  EXPECT_EQ(timeline.bytes().size(), Timeline::intervals);
  Timeline one;
  one.add(3 * one.width(), 5.0);
  one.widen();
  EXPECT_EQ(one.bytes()[1], 5.0);
}

constexpr Use small{.bytes = 1.0, .memory = 10.0};

TEST(Evidence, OfWritesIsThatTheStorageHasThem) {
  EXPECT_EQ(write_evidence(small, true).code, "fsync");
  EXPECT_TRUE(write_evidence(small, true).storage);
  EXPECT_EQ(write_evidence(small, false).code, "no fsync");
  EXPECT_FALSE(write_evidence(small, false).storage);
  EXPECT_EQ(write_evidence({.drops_fsync = true}, true).code, "fsync dropped");
  EXPECT_FALSE(write_evidence({.drops_fsync = true}, true).storage);
  EXPECT_EQ(write_evidence({.drops_fsync = true}, false).code, "no fsync");
  EXPECT_TRUE(write_evidence({.drops_fsync = true, .bytes = 21.0, .memory = 10.0}, true).storage);
  EXPECT_TRUE(write_evidence({.direct = true}, false).storage);
  EXPECT_FALSE(write_evidence({.in_memory = true, .direct = true}, true).storage);
  EXPECT_TRUE(write_evidence({.bytes = 21.0, .memory = 10.0}, false).storage);
  EXPECT_EQ(write_evidence({.direct = true, .replaced = true}, true).code, "replaced calls");
  EXPECT_FALSE(write_evidence({.direct = true, .replaced = true}, true).storage);
  EXPECT_FALSE(write_evidence({.bytes = 19.0, .memory = 10.0}, false).storage);
  // Data that bypass the page cache of the file may be in the page cache of a layer below.
  EXPECT_EQ(write_evidence({.direct = true, .cached_below = true}, false).code, "no fsync");
  EXPECT_EQ(write_evidence({.direct = true, .in_user_space = true}, false).code, "no fsync");
  EXPECT_EQ(write_evidence({.direct = true, .cached_below = true}, true).code, "fsync");
}

TEST(Evidence, OfWritesIsNoneWherePagesCannotBeDropped) {
  EXPECT_EQ(write_evidence(small, true, 0.5).code, "pages present");
  EXPECT_FALSE(write_evidence(small, true, 0.5).storage);
  EXPECT_EQ(write_evidence({.direct = true, .bytes = 1.0, .memory = 10.0}, true, 1.0).code, "pages present");
  EXPECT_EQ(write_evidence(small, true, 0.0).code, "fsync");
  EXPECT_EQ(write_evidence({.bytes = 21.0, .memory = 10.0}, true, 0.4).code, "fsync") << "most of it is elsewhere";
}

TEST(Evidence, OfReadsIsThatNoCacheHadThem) {
  EXPECT_EQ(read_evidence(small, 0.0, false).code, "pages absent");
  EXPECT_TRUE(read_evidence(small, 0.0, false).storage);
  EXPECT_EQ(read_evidence(small, 0.5, true).code, "pages present");
  EXPECT_FALSE(read_evidence(small, 0.5, true).storage);
  EXPECT_EQ(read_evidence(small, std::nullopt, true).code, "no evidence");
  EXPECT_FALSE(read_evidence(small, std::nullopt, true).storage);
  EXPECT_TRUE(read_evidence({.direct = true}, std::nullopt, false).storage);
  EXPECT_FALSE(read_evidence({.direct = true, .replaced = true}, 0.0, true).storage);
  EXPECT_FALSE(read_evidence({.in_memory = true, .direct = true}, 0.0, true).storage);
  EXPECT_EQ(read_evidence({.bytes = 21.0, .memory = 10.0}, 0.4, false).code, "beyond memory");
  // Pages that exist only in memory are no storage, whatever the file system says about O_DIRECT.
  EXPECT_EQ(read_evidence({.direct = true, .memory = 1.0}, 1.0, true).code, "pages present");
  // The file of a loop device, or a server on this host, has pages of its own.
  EXPECT_EQ(read_evidence({.direct = true, .cached_below = true, .memory = 1.0}, 0.0, true).code, "no evidence");
  EXPECT_EQ(read_evidence({.cached_below = true, .bytes = 1.0, .memory = 1.0}, 0.0, true).code, "no evidence");
  EXPECT_EQ(read_evidence({.cached_below = true, .bytes = 3.0, .memory = 1.0}, 0.0, true).code, "beyond memory");
  EXPECT_EQ(read_evidence({.direct = true, .in_user_space = true, .memory = 1.0}, 0.0, false).code, "no evidence");
  EXPECT_EQ(read_evidence({.direct = true, .in_user_space = true, .memory = 1.0}, 0.0, true).code, "direct");
  // The process that serves the file system may cache what its own host wrote.
  EXPECT_FALSE(read_evidence({.in_user_space = true, .bytes = 1.0, .memory = 10.0}, 0.0, false).storage);
  EXPECT_TRUE(read_evidence({.in_user_space = true, .bytes = 1.0, .memory = 10.0}, 0.0, true).storage);
}

std::string refused(const Params& params) {
  try {
    problem(params, 4);
  } catch (const UsageError& error) {
    return error.remedy();
  }
  return "accepted";
}

TEST(Calls, ThatCannotRunNameTheNearest) {
  EXPECT_EQ(refused({}), "accepted");
  EXPECT_EQ(refused({.block = 1000, .transfer = 400}), "Nearest: block=800 or block=1200");
  EXPECT_EQ(refused({.block = 100, .transfer = 400}), "Nearest: block=400");
  EXPECT_EQ(refused({.block = 60, .transfer = 12}), "Nearest: transfer=8 or transfer=16");
  EXPECT_EQ(refused({.block = 5000, .transfer = 5000, .access = "direct"}), "Nearest: transfer=4096 or transfer=8192");
  EXPECT_EQ(refused({.block = std::int64_t{1} << 50U, .segments = std::int64_t{1} << 40U}), "Nearest: segments=1024");
  EXPECT_EQ(refused({.collective = "yes"}), "Nearest: collective=no or files=shared");
}

TEST(Calls, AreCountedByHand) {
  const Problem three = problem({.files = "shared", .block = 200, .transfer = 8, .segments = 3}, 4);
  EXPECT_EQ(Json(three.facts).dump(), R"({"storage_bytes":2400,"space_bytes":2400,"file_count":1,"file_bytes":2400})");
  EXPECT_EQ(Json(problem({.block = 200, .transfer = 8}, 4).facts).dump(),
            R"({"storage_bytes":800,"space_bytes":800,"file_count":4,"file_bytes":200})");
  EXPECT_EQ(Json(problem({.block = 200, .transfer = 8, .stonewall = 1.0}, 4).facts).dump(),
            R"({"storage_bytes":800,"space_bytes":0,"file_count":4,"file_bytes":200})");
}

}  // namespace
}  // namespace banzuke::ior
