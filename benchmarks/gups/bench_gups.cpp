// Compares our updates with other ways to make them: other look-aheads, racing threads, HPCC's loop over 128 sequences,
// and words that each belong to one thread, to which the others pass their updates 1024 at a time.
// Usage: bench-gups-omp [LOGARITHM_OF_WORDS [ROUNDS]]
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/paired.hpp"
#include "core/team.hpp"
#include "gups.hpp"
#include "updates.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::gups;

// Returns this thread's share of the updates: first and one past the last.
std::pair<std::int64_t, std::int64_t> share_of_thread(std::int64_t updates) {
  return share(0, updates, omp_get_thread_num(), omp_get_num_threads());
}

template <class Change>
void make_updates(Array<std::uint64_t>& table, std::int64_t kept) {
#pragma omp parallel
  {
    const auto [first, last] = share_of_thread(updates_of_word * static_cast<std::int64_t>(table.size()));
    update<Change>(table.data(), table.size() - 1, first, last, kept);
  }
}

// Makes updates as HPCC's RandomAccessUpdate does: without prefetch, and with races.
void make_in_lanes(Array<std::uint64_t>& table) {
  constexpr std::int64_t lanes = 128;
#pragma omp parallel
  {
    const auto [first, last] = share_of_thread(updates_of_word * static_cast<std::int64_t>(table.size()));
    std::array<std::uint64_t, lanes> a{};
    const std::int64_t stretch = (last - first) / lanes;
    for (std::int64_t i = 0; i < lanes; ++i) a[static_cast<std::size_t>(i)] = element(first + i * stretch);
    for (std::int64_t i = 0; i < stretch; ++i) {
      for (std::uint64_t& lane : a) {
        lane = next(lane);
        table[lane & (table.size() - 1)] ^= lane;
      }
    }
  }
}

// Lets each thread change only the words of its part. In each turn, all threads first generate updates for all owners,
// and then each applies those for its words.
void make_by_owners(Array<std::uint64_t>& table) {
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  const std::size_t part = table.size() / threads + 1;
  struct Turn {
    explicit Turn(std::size_t owners) : owners(owners) {}
    std::vector<std::vector<std::uint64_t>> owners;  // updates, for each owner of the words
  };
  std::vector<Turn> turns(2 * threads, Turn(threads));
  const std::int64_t updates = updates_of_word * static_cast<std::int64_t>(table.size());
  const std::int64_t longest = updates / static_cast<std::int64_t>(threads) + static_cast<std::int64_t>(threads);
#pragma omp parallel
  {
    const auto [first, last] = share_of_thread(updates);
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    std::uint64_t a = element(first);
    std::size_t parity = 0;
    for (std::int64_t start = 0; start < longest; start += most_kept, parity = 1 - parity) {
      Turn& own = turns[parity * threads + thread];
      for (auto& words : own.owners) words.clear();
      for (std::int64_t i = first + start; i < std::min(last, first + start + most_kept); ++i) {
        a = next(a);
        own.owners[(a & (table.size() - 1)) / part].push_back(a);
      }
#pragma omp barrier
      for (std::size_t from = 0; from < threads; ++from) {
        const auto& words = turns[parity * threads + from].owners[thread];
        constexpr std::size_t ahead = 64;
        for (std::size_t i = 0; i < words.size(); ++i) {
          if (i + ahead < words.size()) __builtin_prefetch(&table[words[i + ahead] & (table.size() - 1)], 1);
          table[words[i] & (table.size() - 1)] ^= words[i];
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int bits = std::clamp(positive_argument(argc, argv, 1, 26), 10, 40);
  const int rounds = positive_argument(argc, argv, 2, 7);
  const std::vector<int> cpus = allowed_cpus();
  bind_threads(cpus);
  Array<std::uint64_t> table(std::size_t{1} << static_cast<unsigned>(bits));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = i;
  std::vector<Way> ways;
  for (const std::int64_t kept : {64, 16, 32, 128, 256, 1024}) {
    ways.push_back({"atomic, " + std::to_string(kept) + " ahead", [&, kept] { make_updates<Atomic>(table, kept); }});
  }
  ways.push_back({"racing, 64 ahead", [&] { make_updates<Plain>(table, 64); }});
  ways.push_back({"racing, HPCC's loop", [&] { make_in_lanes(table); }});
  ways.push_back({"by owners", [&] { make_by_owners(table); }});
  std::printf("table of 2^%d words, %zu threads, %d rounds in turn\n", bits, cpus.size(), rounds);
  compare_ways(ways, rounds, static_cast<double>(updates_of_word) * static_cast<double>(table.size()), "Gupdate/s");
}
