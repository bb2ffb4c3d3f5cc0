// Memory: latency and bandwidth of caches and memory as a function of the size of each thread's own data, or of the
// data on a device.
//
//   for (k = 0; k < loads; ++k) p = *p;                latency: each load depends on the previous one
//   for (i = 0; i < n; ++i) sum += a[i];               bandwidth: load     8 n bytes
//   for (i = 0; i < n; ++i) a[i] = value;                         store    8 n bytes
//   for (i = 0; i < n; ++i) a[i] = b[i];                          copy    16 n bytes
//   for (i = 0; i < n; ++i) a[i] = b[i] + scalar*c[i];            triad   24 n bytes
//   for (k = 0; k < loads; ++k) sum += a[random];      gather: loads that do not depend on each other
//   one thread: p = *p; others: sum += a[i]            loaded: latency while others read
//   first: ++line, wait; second: wait, ++line          pairs: half of each round trip of a cache line
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"
#include "levels.hpp"

namespace banzuke::memory {

struct Params {
  std::string test = "bandwidth";
  std::string loop = "load";
  std::string isa = "widest";
  std::string order = "across";
  std::string data_pages = "usual";
  std::int64_t min_size = 4096;
  std::int64_t max_size = std::int64_t{128} << 20U;
  std::int64_t rounds = 7;
  std::int64_t sample_us = 5000;
  std::int64_t partners = 0;
  std::int64_t streams = 0;
};

// Defined by each backend, up to owner_of_data().
void declare(Parameters& parameters, Params& params);
void settle(Parameters& parameters, Params& params);
// Throws a UsageError if no size is large enough, or there is no pair.
Problem problem(const Params& params, int ranks);
// Bytes between loads of a pointer chase: the machine's cache line; 64 if unknown.
std::int64_t cache_line();
// The minimum data size of the test in bytes.
std::int64_t least_size(const Params& params);
// Returns the cache levels, with the size of the data that measures each: for the threads of all ranks together.
std::vector<Level> levels(const Params& params, const Context& context);
// The number of a rank's threads or devices that have data of a size, and what the size is called in a record.
double owners_of_data();
std::string_view owner_of_data(const Params& params);

// Throws a UsageError if the smallest size is less than `least`, for the test and what `why` adds, or if there is none.
void check_sizes(const Params& params, std::int64_t least, const std::string& why);
// Returns two sizes per octave, plus those of `more` within the range, in ascending order.
std::vector<std::int64_t> sizes(const Params& params, const std::vector<std::int64_t>& more = {});

Result measure(const Params& params, const Context& context);

// A pointer chase by each thread of a rank, or by one thread of its device, through its own data.
class Chases {
 public:
  explicit Chases(const Params& params);  // allocates; untouched

  // Links `size` bytes of each thread's data into one cycle through their lines, and traverses it. Returns how many
  // lines were not visited exactly once, over all threads.
  std::int64_t prepare(std::int64_t size);
  // `loads` dependent loads by each thread, continuing from the last ones; returns seconds of the slowest.
  double run(std::int64_t loads);
  // Number of chases that ended at a wrong place.
  std::int64_t wrong() const;
  Json::Object conditions() const;
  std::vector<Verification> checks() const;  // of the clock, if it is a device's

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// A loop by each thread of a rank over its own arrays, or by all of its device's over one array.
class Loops {
 public:
  explicit Loops(const Params& params);  // allocates; untouched

  // Fills `size` bytes of arrays of each thread. Returns the number of elements that differ from what was filled in: 0.
  std::int64_t prepare(std::int64_t size);
  // `passes` passes by each thread; returns seconds of the slowest.
  double run(std::int64_t passes);
  // Number of elements that are wrong after all passes since prepare(); for loads, of threads whose sum over all passes
  // is wrong.
  std::int64_t wrong() const;
  Json::Object conditions() const;
  std::vector<Verification> checks() const;  // of the clock, if it is a device's

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// Random loads of each thread of a rank from its own data.
class Gathers {
 public:
  explicit Gathers(const Params& params);  // allocates; untouched

  std::int64_t prepare(std::int64_t size);  // returns 0
  // `groups` groups of loads by each thread; returns seconds of the slowest.
  double run(std::int64_t groups);
  // Number of threads whose sum over all loads is wrong.
  std::int64_t wrong() const;
  Json::Object conditions() const;
  static std::vector<Verification> checks() { return {}; }

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::memory
