#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "schedule.hpp"

namespace banzuke::hpl {
namespace {

using Buffer = std::vector<double>;

// Plays the schedules of all ranks, message by message, and returns the buffers; fails when a step
// waits for a message that nobody sends, or one arrives with another length.
class Play {
 public:
  Play(std::vector<Buffer> buffers, std::vector<Schedule> schedules)
      : buffers_(std::move(buffers)), schedules_(std::move(schedules)), at_(schedules_.size()) {}

  std::vector<Buffer> run() {
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank) send(rank);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < schedules_.size(); ++rank) {
        while (advance(rank)) moved = true;
      }
    }
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank) {
      EXPECT_EQ(at_[rank], schedules_[rank].size()) << "rank " << rank << " of " << schedules_.size() << " waits";
    }
    for (const auto& [way, messages] : under_way_) EXPECT_TRUE(messages.empty()) << "a message is not received";
    return buffers_;
  }

 private:
  using Way = std::pair<std::size_t, std::size_t>;

  void send(std::size_t rank) {
    if (at_[rank] == schedules_[rank].size()) return;
    for (const Message& message : schedules_[rank][at_[rank]]) {
      if (message.incoming) continue;
      const auto* data = buffers_[rank].data();
      under_way_[{rank, static_cast<std::size_t>(message.peer)}].emplace_back(data + message.begin, data + message.end);
    }
  }

  // Takes the step's messages in when all are there.
  bool advance(std::size_t rank) {
    if (at_[rank] == schedules_[rank].size()) return false;
    std::map<Way, std::size_t> needed;
    const Step& step = schedules_[rank][at_[rank]];
    for (const Message& message : step) {
      if (message.incoming) ++needed[{static_cast<std::size_t>(message.peer), rank}];
    }
    for (const auto& [way, count] : needed) {
      if (under_way_[way].size() < count) return false;
    }
    for (const Message& message : step) {
      if (!message.incoming) continue;
      auto& queue = under_way_[{static_cast<std::size_t>(message.peer), rank}];
      EXPECT_EQ(std::ssize(queue.front()), message.end - message.begin);
      std::ranges::copy(queue.front(), buffers_[rank].begin() + message.begin);
      queue.pop_front();
    }
    ++at_[rank];
    send(rank);
    return true;
  }

  std::vector<Buffer> buffers_;
  std::vector<Schedule> schedules_;
  std::vector<std::size_t> at_;
  std::map<Way, std::deque<Buffer>> under_way_;
};

constexpr int most_ranks = 17;

template <class Make>
std::vector<Schedule> of_ranks(int size, Make make) {
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) schedules.push_back(make(rank));
  return schedules;
}

Buffer numbered(std::int64_t length) {
  Buffer out(static_cast<std::size_t>(length));
  std::iota(out.begin(), out.end(), 1.0);
  return out;
}

// Blocks of 0, 3, 1, 2, 0, 3, ... numbers.
std::vector<std::int64_t> uneven(int size) {
  std::vector<std::int64_t> offsets{0};
  for (int i = 0; i < size; ++i) offsets.push_back(offsets.back() + i * 3 % 4);
  return offsets;
}

TEST(Schedules, BroadcastsReachEveryRank) {
  for (std::size_t kind = 0; kind < broadcast_names.size(); ++kind) {
    for (int size = 1; size <= most_ranks; ++size) {
      for (const int root : {0, size / 2, size - 1}) {
        for (const std::int64_t length : {0, 1, 40}) {
          const Senders senders{.root = root, .next = static_cast<int>(length) * root % size};
          std::vector<Buffer> buffers(static_cast<std::size_t>(size), Buffer(static_cast<std::size_t>(length)));
          buffers[static_cast<std::size_t>(root)] = numbered(length);
          const auto schedules = of_ranks(
              size, [&](int rank) { return broadcast(static_cast<Broadcast>(kind), rank, size, senders, length); });
          for (const Buffer& got : Play(buffers, schedules).run()) {
            ASSERT_EQ(got, numbered(length)) << broadcast_names[kind] << ' ' << size << ' ' << root;
          }
        }
      }
    }
  }
}

TEST(Schedules, ModifiedBroadcastsServeTheNextRankFirstAndAskNothingOfIt) {
  for (const auto kind : {Broadcast::ring_modified, Broadcast::two_ring_modified, Broadcast::scatter_modified}) {
    for (const int next : {1, 2, 5, 6, 0}) {
      const int served = next == 0 ? 1 : next;  // the root has the next panel, too
      const Schedule schedule = broadcast(kind, served, 7, {.root = 0, .next = next}, 40);
      ASSERT_EQ(schedule.size(), 1U);
      ASSERT_EQ(schedule.front().size(), 1U);
      EXPECT_TRUE(schedule.front().front().incoming);
      EXPECT_EQ(broadcast(kind, 0, 7, {.root = 0, .next = next}, 40).front().front().peer, served);
    }
  }
}

TEST(Schedules, ScatterBringsEachRankItsBlock) {
  for (int size = 1; size <= most_ranks; ++size) {
    const auto offsets = uneven(size);
    for (int root = 0; root < size; ++root) {
      std::vector<Buffer> buffers(static_cast<std::size_t>(size), Buffer(numbered(offsets.back()).size()));
      buffers[static_cast<std::size_t>(root)] = numbered(offsets.back());
      const auto schedules = of_ranks(size, [&](int rank) { return scatter(rank, size, root, offsets); });
      const auto got = Play(buffers, schedules).run();
      for (int distance = 0; distance < size; ++distance) {
        const Buffer& mine = got[static_cast<std::size_t>((root + distance) % size)];
        for (auto i = offsets[static_cast<std::size_t>(distance)]; i < offsets[static_cast<std::size_t>(distance) + 1];
             ++i) {
          ASSERT_EQ(mine[static_cast<std::size_t>(i)], static_cast<double>(i + 1)) << size << ' ' << root;
        }
      }
    }
  }
}

using Gather = Schedule (*)(int, int, std::span<const std::int64_t>);

TEST(Schedules, GathersBringEveryBlockToEveryRank) {
  for (const Gather gather : {Gather{roll}, Gather{binary_exchange}}) {
    for (int size = 1; size <= most_ranks; ++size) {
      const auto offsets = uneven(size);
      const Buffer all = numbered(offsets.back());
      std::vector<Buffer> buffers;
      std::vector<Schedule> schedules;
      for (int rank = 0; rank < size; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        Buffer own(all.size());
        std::copy(all.begin() + offsets[at], all.begin() + offsets[at + 1], own.begin() + offsets[at]);
        buffers.push_back(own);
        schedules.push_back(gather(rank, size, offsets));
      }
      for (const Buffer& got : Play(buffers, schedules).run()) ASSERT_EQ(got, all) << size;
    }
  }
}

}  // namespace
}  // namespace banzuke::hpl
