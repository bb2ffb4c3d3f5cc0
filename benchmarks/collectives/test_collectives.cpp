#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "collectives.hpp"

namespace banzuke::collectives {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::array sizes_tried{1, 2, 5, 8, 64, 100};
constexpr std::array ranks_tried{2, 3, 8, 16, 17, 100};

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

// The operations as defined by the MPI standard, on the buffers of all ranks in one process; written independently of
// `shapes`.
class Naive {
 public:
  Naive(const Shape& shape, std::int64_t size, int ranks, std::uint64_t call)
      : shape_(shape), size_(size), ranks_(ranks), data_(shape, call, ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      send_.emplace_back(index(elements(shape.sends, size, rank, ranks)));
      data_.fill(send_.back(), rank, 0);
      receive_.emplace_back(index(elements(shape.receives, size, rank, ranks)));
    }
  }

  void run(int source = root) {
    const std::string name = shape_.name;
    const Bytes sum = summed();
    for (int rank = 0; rank < ranks_; ++rank) {
      Bytes& to = receive_[index(rank)];
      if (name == "allreduce" || (name == "reduce" && rank == root)) to = sum;
      if (name == "reduce_scatter") std::copy_n(sum.begin() + offset(rank), to.size(), to.begin());
      if (name == "bcast" && rank != root) to = send_[index(source)];
      if (name == "scatter") std::copy_n(send_[index(source)].begin() + rank * size_, size_, to.begin());
      for (int from = 0; from < ranks_; ++from) {
        const Bytes& message = send_[index(from)];
        if (name == "alltoall") std::copy_n(message.begin() + rank * size_, size_, to.begin() + from * size_);
        if (name == "allgather" || (name == "gather" && rank == root)) {
          std::copy_n(message.begin(), size_, to.begin() + from * size_);
        }
      }
    }
  }

  std::int64_t wrong() const {
    std::int64_t count = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
      for (const Arrival& arrival : arrivals(shape_, size_, rank, ranks_)) {
        const auto place = std::span(receive_[index(rank)]).subspan(index(arrival.at), index(arrival.count));
        count += data_.wrong(place, arrival.origin, arrival.position);
      }
    }
    return count;
  }

  Bytes& sent(int rank) { return send_[index(rank)]; }
  Bytes& received(int rank) { return receive_[index(rank)]; }

 private:
  Bytes summed() const {
    Bytes sum(index(size_));
    if (!shape_.sums) return sum;
    for (const Bytes& message : send_) {
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] = static_cast<std::byte>(std::to_integer<int>(sum[i]) + std::to_integer<int>(message[i]));
      }
    }
    return sum;
  }

  std::int64_t offset(int rank) const {
    std::int64_t before = 0;
    for (int other = 0; other < rank; ++other) before += static_cast<std::int64_t>(receive_[index(other)].size());
    return before;
  }

  const Shape& shape_;
  std::int64_t size_;
  int ranks_;
  Data data_;
  std::vector<Bytes> send_;
  std::vector<Bytes> receive_;
};

const Shape& shape(const std::string& name) { return shape_of({.operation = name}); }

TEST(Arrivals, AreWhatTheStandardSays) {
  for (const Shape& each : shapes) {
    for (const int ranks : ranks_tried) {
      for (const int size : sizes_tried) {
        Naive naive(each, size, ranks, 7);
        naive.run();
        EXPECT_EQ(naive.wrong(), 0) << each.name << ", " << ranks << " ranks, " << size << " B";
      }
    }
  }
}

TEST(Arrivals, CoverEveryElementThatIsReceived) {
  for (const Shape& each : shapes) {
    for (int rank = 0; rank < 5; ++rank) {
      std::int64_t count = 0;
      for (const Arrival& arrival : arrivals(each, 12, rank, 5)) {
        EXPECT_EQ(arrival.at, count) << each.name;
        count += arrival.count;
      }
      const bool has_it_already = std::string(each.name) == "bcast" && rank == root;
      EXPECT_EQ(count, has_it_already ? 0 : elements(each.receives, 12, rank, 5)) << each.name;
    }
  }
}

TEST(Data, SeesOneElementOff) {
  for (const Shape& each : shapes) {
    Naive naive(each, 64, 4, 1);
    naive.run();
    for (int rank = 0; rank < 4; ++rank) {
      if (arrivals(each, 64, rank, 4).empty()) continue;
      std::byte& last = naive.received(rank).back();
      last = static_cast<std::byte>(std::to_integer<int>(last) + 1);
      EXPECT_EQ(naive.wrong(), 1) << each.name;
      last = static_cast<std::byte>(std::to_integer<int>(last) - 1);
    }
  }
}

// Does what std::ranges::rotate does, which Clang 14 cannot compile.
void rotate(Bytes& bytes, std::ptrdiff_t by) {
  const Bytes before = bytes;
  std::ranges::rotate_copy(before, before.begin() + by, bytes.begin());
}

TEST(Data, SeesAShiftByOneElement) {
  for (const Shape& each : shapes) {
    if (each.receives.blocks == Blocks::none) continue;
    Naive naive(each, 64, 2, 2);
    naive.run();
    for (int rank = 0; rank < 2; ++rank) {
      Bytes& to = naive.received(rank);
      if (!to.empty()) rotate(to, 1);
    }
    EXPECT_GT(naive.wrong(), 16) << each.name;
  }
}

TEST(Data, SeesAnotherRanksMessage) {
  for (const char* name : {"bcast", "scatter"}) {
    Naive naive(shape(name), 64, 3, 3);
    naive.sent(1).resize(naive.sent(root).size());
    Data(shape(name), 3, 3).fill(naive.sent(1), 1, 0);
    naive.run(1);
    EXPECT_EQ(naive.wrong(), std::string(name) == "bcast" ? 2 * 64 : 3 * 64) << name;
  }
  Naive gather(shape("gather"), 16, 3, 3);
  gather.run();
  rotate(gather.received(root), 16);
  EXPECT_GT(gather.wrong(), 2 * 16);
}

// A single byte is enough: with few ranks, each contributes to every sum.
TEST(Data, SeesARankTooFewOrTooMany) {
  for (const int size : {1, 64}) {
    for (std::uint64_t call = 0; call < 20; ++call) {
      Naive naive(shape("allreduce"), size, 16, call);
      const Bytes own = naive.sent(2);
      std::ranges::fill(naive.sent(2), std::byte{0});
      naive.run();
      EXPECT_EQ(naive.wrong(), 16 * size) << call;
      for (std::size_t i = 0; i < own.size(); ++i) {
        naive.sent(2)[i] = static_cast<std::byte>(2 * std::to_integer<int>(own[i]));
      }
      naive.run();
      EXPECT_EQ(naive.wrong(), 16 * size) << call;
    }
  }
}

// With many ranks, each contributes only to some elements.
TEST(Data, SeesEachOfManyRanksMissing) {
  for (const int missing : {0, 1, 63, 99}) {
    Naive naive(shape("allreduce"), 200, 100, 1);
    std::ranges::fill(naive.sent(missing), std::byte{0});
    naive.run();
    EXPECT_GT(naive.wrong(), 100 * 10) << missing;
  }
}

// MPI does not define sums that overflow their type.
TEST(Data, NeverSumsToMoreThanAByte) {
  for (const int ranks : {1, 2, 3, 15, 16, 17, 33, 1000}) {
    const Data data(shape("reduce"), 4, ranks);
    Bytes message(300);
    std::vector<int> sum(message.size());
    for (int rank = 0; rank < ranks; ++rank) {
      data.fill(message, rank, 0);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += std::to_integer<int>(message[i]);
    }
    EXPECT_LE(std::ranges::max(sum), 255) << ranks;
    EXPECT_GE(std::ranges::min(sum), 1) << ranks;
  }
}

TEST(Data, SeesAnotherOperationThanTheSum) {
  Naive naive(shape("reduce"), 100, 3, 5);
  Bytes& result = naive.received(root);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = std::max({naive.sent(0)[i], naive.sent(1)[i], naive.sent(2)[i]});
  }
  EXPECT_GT(naive.wrong(), 90);
}

TEST(Data, IsOtherDataInEveryCall) {
  Bytes message(64);
  const Data one(shape("bcast"), 11, 2);
  const Data another(shape("bcast"), 12, 2);
  one.fill(message, 1, 0);
  EXPECT_EQ(one.wrong(message, 1, 0), 0);
  EXPECT_GT(another.wrong(message, 1, 0), 32);
  another.spoil(message, 1, 0);
  EXPECT_EQ(another.wrong(message, 1, 0), 64);
}

TEST(Sizes, AreOsusPowersOfTwo) {
  const auto all = sizes({}, 2);
  EXPECT_EQ(all.size(), 21U);
  EXPECT_EQ(all.front(), 1);
  EXPECT_EQ(all.back(), 1 << 20);
  EXPECT_EQ(sizes({.operation = "barrier", .min_size = 8, .max_size = 4}, 2), std::vector<std::int64_t>{0});
  EXPECT_EQ(sizes({.min_size = 3, .max_size = 9}, 2), (std::vector<std::int64_t>{4, 8}));
}

// The limit is 512 MiB of messages for all ranks.
TEST(Sizes, StopAtTheMemoryCap) {
  for (const char* name : {"alltoall", "allgather", "gather", "scatter"}) {
    EXPECT_EQ(sizes({.operation = name}, 512).back(), 1 << 20) << name;
    EXPECT_EQ(sizes({.operation = name}, 513).back(), 1 << 19) << name;
    EXPECT_EQ(sizes({.operation = name}, 640'000).back(), 512) << name;
  }
  for (const char* name : {"allreduce", "bcast", "reduce", "reduce_scatter"}) {
    EXPECT_EQ(sizes({.operation = name}, 640'000).back(), 1 << 20) << name;
  }
}

TEST(Sizes, RefusesThoseThatAreNone) {
  EXPECT_THROW(sizes({.min_size = 9, .max_size = 8}, 2), UsageError);
  EXPECT_THROW(sizes({.min_size = 9, .max_size = 15}, 2), UsageError);
  EXPECT_THROW(sizes({.operation = "alltoall", .min_size = 1024}, 640'000), UsageError);
}

TEST(Counts, AreOsus) {
  EXPECT_EQ(count({}, 8192).iterations, 1000);
  EXPECT_EQ(count({}, 8192).warm_up, 100);
  EXPECT_EQ(count({}, 16384).iterations, 100);
  EXPECT_EQ(count({}, 16384).warm_up, 10);
  EXPECT_EQ(count({.operation = "barrier"}, 0).iterations, 1000);
  EXPECT_EQ(count({.operation = "barrier", .mode = "non-blocking"}, 0).iterations, 100);
  EXPECT_EQ(count({.iterations = 20}, 16384).iterations, 20);
}

TEST(Problem, NeedsTwoRanks) {
  EXPECT_THROW(problem({}, 1), UsageError);
  EXPECT_NO_THROW(problem({}, 2));
}

TEST(Problem, CountsCallsAndBytes) {
  const Params params{.operation = "alltoall", .min_size = 4, .max_size = 8, .iterations = 10};
  const Json::Object facts{{"calls", 22}, {"blocks", 3}, {"call_bytes", 11 * 3 * (4 + 8)}};
  EXPECT_EQ(Json(problem(params, 3).facts).dump(), Json(facts).dump());
}

TEST(Problem, FootprintIsTheRootsBuffersAndSamples) {
  const auto footprint = [](const Params& params, int ranks) { return problem(params, ranks).footprint; };
  constexpr double mib = 1 << 20;
  constexpr double calls = sample_bytes * (14 * 1000 + 7 * 100);
  EXPECT_EQ(footprint({.operation = "allreduce"}, 64), 2 * mib + 2 * calls);
  EXPECT_EQ(footprint({.operation = "allreduce", .mode = "non-blocking"}, 64), 2 * mib + 3 * calls);
  EXPECT_EQ(footprint({.operation = "alltoall"}, 64), 128 * mib + 2 * calls);
  EXPECT_EQ(footprint({.operation = "gather"}, 64), 65 * mib + 2 * calls);
  EXPECT_EQ(footprint({.operation = "bcast"}, 64), 2 * mib + 2 * calls);
  EXPECT_EQ(footprint({.operation = "alltoall", .min_size = 1 << 18, .iterations = 10}, 2048),
            1024 * mib + 20 * sample_bytes);
  EXPECT_GT(footprint({.iterations = 1'000'000}, 2), 4e9);
}

}  // namespace
}  // namespace banzuke::collectives
