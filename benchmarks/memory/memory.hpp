// Memory: the time and the bandwidth of caches and memory over the size of each thread's own data.
//
//   for (k = 0; k < loads; ++k) p = *p;                latency: each load waits for the one before
//   for (i = 0; i < n; ++i) sum += a[i];               bandwidth: load     8 n bytes
//   for (i = 0; i < n; ++i) a[i] = value;                         store    8 n bytes
//   for (i = 0; i < n; ++i) a[i] = b[i];                          copy    16 n bytes
//   for (i = 0; i < n; ++i) a[i] = b[i] + scalar*c[i];            triad   24 n bytes
//   first: ++line, wait; second: wait, ++line          pairs: half of each round trip of a cache line
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/hidden.hpp"

namespace banzuke::memory {

struct Params {
  std::string test = "bandwidth";
  std::string loop = "load";
  std::string order = "across";
  std::string data_pages = "usual";
  std::int64_t min_size = 4096;
  std::int64_t max_size = std::int64_t{128} << 20U;
  std::int64_t rounds = 7;
  std::int64_t sample_us = 5000;
  std::int64_t partners = 0;
};

void declare(Parameters& parameters, Params& params);
void settle(Parameters& parameters, Params& params);
// Throws a UsageError where no size is large enough, or there is no pair.
Problem problem(const Params& params, int ranks);

// Bytes between loads of a chase: the machine's cache line; 64 where it does not say.
std::int64_t cache_line();
// Bytes of data below which the test has nothing to do.
std::int64_t least_size(const Params& params);
// Two an octave, and all of `more` that lie among them; increasing.
std::vector<std::int64_t> sizes(const Params& params, const std::vector<std::int64_t>& more = {});

Result measure(const Params& params, const Context& context);

// A chase by each thread of a rank, through data of its own.
class Chases {
 public:
  explicit Chases(const Params& params);  // allocates; untouched

  // Links so many bytes of each thread's data into one cycle through their lines, and goes round it. Returns how many
  // lines were not visited exactly once, over all threads.
  std::int64_t prepare(std::int64_t size);
  // So many dependent loads of each thread, from where the last ones ended; seconds of the slowest.
  double run(std::int64_t loads);
  // Chases that ended elsewhere than their loads lead.
  std::int64_t wrong() const;
  Json::Object conditions() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// A loop by each thread of a rank, over arrays of its own.
class Loops {
 public:
  explicit Loops(const Params& params);  // allocates; untouched

  // Fills so many bytes of arrays of each thread. Returns how many elements are not what they were filled with: 0.
  std::int64_t prepare(std::int64_t size);
  // So many passes of each thread; seconds of the slowest.
  double run(std::int64_t passes);
  // Elements that are not as all passes since prepare() leave them; of loads, threads whose sum is not that of all
  // passes.
  std::int64_t wrong() const;
  Json::Object conditions() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::memory
