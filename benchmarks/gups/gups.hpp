// GUPS: how many words at random places of a table are changed in a second; HPCC's RandomAccess.
//
//   for (i = 0; i < n; ++i) T[i] = i;                                        a table of n words of 64 bits
//   for (i = 1; i <= 4 n; ++i) { a = next(a); T[a mod n] ^= a; }             4 n updates; a starts at 1
//
// Each round makes 4 n updates more, with the numbers that follow in the sequence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"

namespace banzuke::gups {

inline constexpr std::int64_t updates_of_word = 4;
// Updates that HPCC's rules let a process keep back before it makes them; ours keep so many for each thread.
inline constexpr std::int64_t most_kept = 1024;

struct Params {
  std::int64_t n = std::int64_t{1} << 24;
  std::int64_t rounds = 3;
  std::int64_t look_ahead = 64;
  std::string updates = "exact";
};

// For every backend.
void declare_sizes(Parameters& parameters, Params& params);
// For the backend: its parameters, and the memory that it needs.
void declare(Parameters& parameters, Params& params);
Problem problem(const Params& params, int ranks);

// Throws a UsageError that names the neighbours where the value is no power of two.
void check_power_of_two(const std::string& name, std::int64_t value);

// Bytes of a rank's table.
inline double footprint(const Params& params) { return 8.0 * static_cast<double>(params.n); }

// So many updates, of which each reads a word and writes it back: of lines of `line` bytes, as far as these are not in
// a cache already. `missing` is the share of the table that no cache can hold.
inline Work work(double updates, double line, double missing = 1.0) {
  return {.counted = updates, .demand = {{"memory.bytes", 2.0 * line * missing * updates}}};
}

// What the words of a table show.
struct Tally {
  std::uint64_t checksum = 0;  // all words, xor
  std::int64_t right = 0;      // words that are what they were at first
};

// The checksum of a table of n words, a power of two, as it is at first.
constexpr std::uint64_t checksum_at_first(std::int64_t n) { return n == 2 ? 1 : 0; }

// How many bits of a table's checksum are not as after so many updates.
std::int64_t wrong_bits(const Tally& tally, std::int64_t n, std::int64_t updates);

class Gups {
 public:
  // Allocates; touches first, in equal shares of the threads. Every rank has a table of its own, or with the backend
  // mpi a part of one; its methods are then to be called on all ranks.
  Gups(const Params& params, const Communicator& ranks);

  // A blocking round, of which the first is 0; seconds, by the backend's clock.
  double run(std::int64_t round);
  // Makes so many updates again, the first of the sequence, each exactly: which takes back those that were right.
  void replay(std::int64_t updates);
  Tally tally() const;
  std::int64_t table_words() const;
  std::vector<std::uint64_t> words() const;  // this rank's, of a small table

  // Bytes of memory that an update moves each way, and the share of the table that the caches cannot hold.
  double line() const;
  double missing() const;
  // How it was done.
  Json::Object conditions() const;
  std::vector<Verification> checks() const;  // beside those of the table

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Share of wrong words that is allowed: 1% by HPCC's rule where threads race, else none.
inline double tolerance(const Params& params) { return params.updates == "racing" ? 0.01 : 0.0; }

}  // namespace banzuke::gups
