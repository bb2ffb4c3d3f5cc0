// Runs ranks with a table each, or with parts of one table.
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include "core/testing.hpp"
#include "gups.hpp"
#include "testing.hpp"

namespace banzuke::gups {
namespace {

class Ranks : public RankTests {
 public:
  using RankTests::RankTests;

  // Separate tables are tested in test_gups.cpp; here one size is enough to show that ranks do not affect each other.
  void run() {
    for (const std::int64_t n : {64, 2, 16384}) {
      if (!make_updates(n)) return;
    }
  }

 private:
  // Returns whether it is worth trying other sizes.
  bool make_updates(std::int64_t n) {
    name_ = std::to_string(n) + " words of a rank";
    const Params params{.n = n};
    const bool shared = !problem(params, 1).facts.empty();  // the size of the whole table
    const bool refusable = shared && !std::has_single_bit(static_cast<unsigned>(ranks_.size()));
    try {
      problem(params, ranks_.size());
    } catch (const UsageError&) {
      expect(refusable, "this number of ranks is refused");
      return true;
    }
    expect(!refusable, "this number of ranks is not refused");
    if (refusable) return true;
    Gups gups(params, ranks_);
    gups.run(0);
    gups.run(1);
    const std::int64_t words = gups.table_words();
    expect(gups.updates() == updates_of_word * n, "the updates of a rank");
    const std::int64_t updates = 2 * updates_of_word * words;
    expect(words == (shared ? n * ranks_.size() : n), "the size of the table");
    const std::int64_t first = words == n ? 0 : ranks_.rank() * n;
    expect(gups.words() == part(updated(words, updates), first, n), "the words");
    expect(wrong_bits(gups.tally(), words, updates) == 0, "the checksum");
    gups.replay(updates - 1);
    expect(gups.tally().right == words - 1, "an update that is missing");
    if (shared) stop_early(n);
    return words != n || ranks_.size() == 1;
  }

  // A bound that allows one update of each rank, in each round.
  void stop_early(std::int64_t n) {
    Gups gups({.n = n, .time_bound = 1e-12}, ranks_);
    expect(gups.updates() == 1, "the updates that the bound allows");
    gups.run(0);
    gups.run(1);
    const std::int64_t words = gups.table_words();
    const std::int64_t updates = 2 * std::int64_t{ranks_.size()};
    expect(gups.words() == part(updated(words, updates), ranks_.rank() * n, n), "the words after few updates");
    gups.replay(updates);
    expect(gups.tally().right == words, "all words are right again");
  }

  // Returns `n` words of a table from `first` on.
  static std::vector<std::uint64_t> part(const std::vector<std::uint64_t>& table, std::int64_t first, std::int64_t n) {
    return {table.begin() + first, table.begin() + first + n};
  }
};

}  // namespace
}  // namespace banzuke::gups

int main(int argc, char** argv) {
  const banzuke::Communicator ranks(argc, argv);
  try {
    banzuke::gups::Ranks tests(ranks);
    tests.run();
    return tests.all_right() ? 0 : 1;
  } catch (const std::exception& error) {  // the other ranks wait for this one
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), error.what());
    ranks.abort(1);
  }
}
