#include "pairs.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "core/clock.hpp"
#include "core/message.hpp"
#include "core/pair_schedule.hpp"
#include "core/paired.hpp"
#include "core/shared_memory.hpp"

namespace banzuke::memory {
namespace {

// Waits until the token's value differs from `sent` and returns it; returns `sent` if nothing came in time.
std::int64_t answer_to(const Token& token, std::int64_t sent, double wait) {
  constexpr std::int64_t looks = std::int64_t{1} << 16U;
  double begin = 0.0;
  for (std::int64_t look = 1;; ++look) {
    const std::int64_t value = token.value.load(std::memory_order_acquire);
    if (value != sent) return value;
    if (look % looks != 0) continue;
    if (begin == 0.0) begin = now();
    if (now() - begin > wait) return sent;
  }
}

// A page for each rank, which the rank touches first, so that the line is in the memory next to the lower rank of each
// pair.
struct alignas(4096) Seat {
  Token token;
};

// State shared by all ranks.
struct Board {
  alignas(128) std::atomic<std::int64_t> played;  // pairs that have finished
  std::atomic<bool> over;                         // a pair has failed
};

struct Pair {
  int low;
  int high;
};

std::vector<Pair> pairs_of(std::int64_t partners, int ranks) {
  const PairSchedule schedule(partners, ranks);
  std::vector<Pair> pairs;
  for (int round = 0; round < schedule.rounds(); ++round) {
    for (int rank = 0; rank < ranks; ++rank) {
      if (const int other = schedule.partner(rank, round); other > rank) pairs.push_back({rank, other});
    }
  }
  return pairs;
}

}  // namespace

std::int64_t partners_of(const Params& params, int ranks) {
  return params.partners == 0 && ranks > most_with_all ? some : params.partners;
}

std::int64_t play(Token& token, bool first, std::int64_t from, std::int64_t trips, double wait) {
  std::int64_t wrong = 0;
  std::int64_t mine = first ? from + 1 : from;
  if (first) token.value.store(mine, std::memory_order_release);
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    const std::int64_t got = answer_to(token, mine, wait);
    if (got == mine) return wrong + trips - trip;
    wrong += got == mine + 1 ? 0 : 1;
    mine += 2;
    if (!first || trip + 1 < trips) token.value.store(mine, std::memory_order_release);
  }
  return wrong;
}

Result measure_pairs(const Params& params, const Context& context) {
  using namespace std::chrono_literals;
  const auto& ranks = context.ranks;
  const auto pairs = pairs_of(partners_of(params, ranks.size()), ranks.size());
  const SharedArray<Board> board(ranks, 1);
  const SharedArray<Seat> seats(ranks, static_cast<std::size_t>(ranks.size()));
  seats[static_cast<std::size_t>(ranks.rank())].token.value = 0;
  ranks.barrier();

  const std::int64_t samples = samples_a_round * params.rounds;
  std::vector<double> seconds(pairs.size());
  double wrong = 0.0;
  const Watch watch;
  const auto wait_for = [&](std::size_t index) {
    while (!board[0].over && std::cmp_less(board[0].played.load(), index)) std::this_thread::sleep_for(100us);
  };
  std::vector<std::int64_t> values(seats.span().size());  // value of each seat's token when its next pair begins
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [low, high] = pairs[i];
    std::int64_t at = values[static_cast<std::size_t>(low)];
    values[static_cast<std::size_t>(low)] += 2 * (warm_up_trips + samples * trips_a_sample);
    const bool first = ranks.rank() == low;
    if (!first && ranks.rank() != high) continue;
    wait_for(i);
    if (board[0].over) break;
    Context::step("pairs, rank " + std::to_string(low) + " with rank " + std::to_string(high));
    Token& token = seats[static_cast<std::size_t>(low)].token;
    std::int64_t failed = play(token, first, at, warm_up_trips);
    at += 2 * warm_up_trips;
    std::vector<double> taken;
    for (std::int64_t sample = 0; sample < samples && failed == 0; ++sample, at += 2 * trips_a_sample) {
      const double start = now();
      failed += play(token, first, at, trips_a_sample);
      taken.push_back((now() - start) / (2.0 * trips_a_sample));
    }
    wrong += static_cast<double>(failed);
    if (failed > 0) board[0].over = true;
    if (!first) continue;
    if (!taken.empty()) seconds[i] = quantised(median(taken));
    board[0].played = static_cast<std::int64_t>(i) + 1;
    context.progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(pairs.size()));
  }
  wait_for(pairs.size());  // not a barrier, in which ranks that are done would not sleep
  Result result;
  result.conditions = watch.conditions();
  ranks.maximum(seconds);
  ranks.sum({&wrong, 1});

  std::vector<std::tuple<int, int, double>> sorted;
  sorted.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) sorted.emplace_back(pairs[i].low, pairs[i].high, seconds[i]);
  std::ranges::sort(sorted);
  Pairs matrix{.unit = "s"};
  for (const auto& [low, high, value] : sorted) {
    matrix.from.push_back(low);
    matrix.to.push_back(high);
    matrix.values.push_back(value);
  }
  result.metrics.push_back(over_members(matrix, ranks.size(), "pair_latency"));
  result.pairs.emplace_back("pair_latency", std::move(matrix));
  result.verification.push_back({"tokens that were wrong or did not come", wrong, 0.0});
  return result;
}

}  // namespace banzuke::memory
