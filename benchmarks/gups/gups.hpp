// GUPS: random updates of table words per second; HPCC's RandomAccess.
//
//   for (i = 0; i < n; ++i) T[i] = i;                                        a table of n words of 64 bits
//   for (i = 1; i <= 4 n; ++i) { a = next(a); T[a mod n] ^= a; }             4 n updates; a starts at 1
//
// Each round makes another 4 n updates, with the next numbers of the sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"

namespace banzuke::gups {

inline constexpr std::int64_t updates_of_word = 4;
// Updates that HPCC's rules let a process buffer; we buffer that many per thread.
inline constexpr std::int64_t most_kept = 1024;

struct Params {
  std::int64_t n = std::int64_t{1} << 24;
  std::int64_t rounds = 3;
  std::int64_t look_ahead = 64;
  std::string updates = "exact";
  double time_bound = 0.0;
};

// Declares the parameters of every backend.
void declare_sizes(Parameters& parameters, Params& params);
// Declare the backend's parameters, and return the memory that it needs.
void declare(Parameters& parameters, Params& params);
Problem problem(const Params& params, int ranks);

// Throws a UsageError naming the nearest powers of two if the value is not one.
void check_power_of_two(const std::string& name, std::int64_t value);

// Bytes of a rank's table.
inline double footprint(const Params& params) { return 8.0 * static_cast<double>(params.n); }

// Work of `updates` updates, each of which loads a random word and writes it back, in lines of `line` bytes unless they
// are cached. `missing` is the fraction of the table that no cache can hold.
inline Work work(double updates, double line, double missing = 1.0) {
  return {.counted = updates,
          .demand = {{"memory.bytes", 2.0 * line * missing * updates}, {"memory.gathers", updates}}};
}

// Returns how many of `most` updates take `bound` seconds at most, if `sample` of them took `seconds`: at least one.
inline std::int64_t bounded(double bound, double seconds, std::int64_t sample, std::int64_t most) {
  const double enough = bound * static_cast<double>(sample) / seconds;
  return enough < static_cast<double>(most) ? std::max(std::int64_t{1}, static_cast<std::int64_t>(enough)) : most;
}

// A tally of the words of a table.
struct Tally {
  std::uint64_t checksum = 0;  // all words, xor
  std::int64_t right = 0;      // words with their initial values
};

// The initial checksum of a table of n words, a power of two.
constexpr std::uint64_t checksum_at_first(std::int64_t n) { return n == 2 ? 1 : 0; }

// The number of wrong bits in a table's checksum after `updates` updates.
std::int64_t wrong_bits(const Tally& tally, std::int64_t n, std::int64_t updates);

class Gups {
 public:
  // Allocates; threads first-touch equal shares. Every rank has its own table, or with the backend mpi a part of one;
  // then its member functions must be called on all ranks.
  Gups(const Params& params, const Communicator& ranks);

  // Updates of a rank in each round: four of each of its words, or fewer because of the time bound.
  std::int64_t updates() const;
  // One blocking round, counted from 0; returns seconds by the backend's clock.
  double run(std::int64_t round);
  // Repeats the first `updates` updates of the sequence, exactly, which undoes those that were right.
  void replay(std::int64_t updates);
  Tally tally() const;
  std::int64_t table_words() const;
  std::vector<std::uint64_t> words() const;  // this rank's words; for small tables

  // Bytes of memory that an update moves in each direction, and the fraction of the table that the caches cannot hold.
  double line() const;
  double missing() const;
  // Conditions that say how the updates were made.
  Json::Object conditions() const;
  std::vector<Verification> checks() const;  // besides those of the table

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Allowed fraction of wrong words: 1% by HPCC's rule if threads race, else none.
inline double tolerance(const Params& params) { return params.updates == "racing" ? 0.01 : 0.0; }

}  // namespace banzuke::gups
