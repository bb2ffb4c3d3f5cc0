// The framework of every benchmark program: arguments, ranks, binding, the record, errors and exit status.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/communicator.hpp"
#include "core/json.hpp"
#include "core/parameters.hpp"
#include "core/record.hpp"
#include "core/timed_parts.hpp"

namespace banzuke {

// Disturbances of this process since construction. Construct it right before the timed loop, because initialisation and
// checks have disturbances of their own.
class Watch {
 public:
  Watch();
  // Marks a timed part that lasts until the end of the scope, for loops that also do much untimed work. Without any,
  // everything until conditions() counts as timed.
  TimedParts::Part part() { return TimedParts::Part(parts_); }
  // involuntary_switches of all threads, timed_seconds, timed_parts.
  Json::Object conditions() const;

 private:
  long switches_;
  double start_;
  double begin_;
  TimedParts parts_;
};

class Context {
 public:
  const Communicator& ranks;
  // Processors that each OpenMP thread may run on, as read back from the kernel.
  const std::vector<std::vector<int>>& places;
  // Reports the progress of a long run, on rank 0 only: `done` of `total` equal steps, and the current rate. A
  // non-finite rate (no time since the last step) is left out.
  void progress(std::int64_t done, std::int64_t total) const;
  void progress(std::int64_t done, std::int64_t total, double rate, const std::string& unit) const;
  // Sets one line that says what this rank does from now on; it is printed when the time limit is reached. Not for
  // timed loops.
  static void step(std::string_view text);

  bool show_progress = false;
};

// Returns the largest value of each check on any rank. Ranks may be of programs with different checks, but a check has
// the same place in all that have it. Collective; the names are there on rank 0.
std::vector<Verification> largest_of_ranks(const std::vector<Verification>& own, const Communicator& ranks);

// Resources that a call needs, as far as the program knows them before it allocates anything.
struct Problem {
  double footprint = 0.0;         // bytes, for the rank that needs most
  double device_footprint = 0.0;  // the same for the memory of each of its devices
  Json::Object facts = {};  // derived from the parameters and the number of ranks; also go into the record's conditions
};

// One of a benchmark's programs.
struct Backend {
  Backend(const char* name, const char* devices = "") : name(name), devices(devices) {}  // NOLINT: as a string

  std::string name;
  std::string devices;  // vendor of the devices that it drives: "NVIDIA"; empty: none
};

struct Program {
  std::string benchmark;
  Backend backend;
  std::function<void(Parameters&)> declare;
  // Called after all parameters were read: marks those that the call does not use and sets defaults that depend on
  // others.
  std::function<void(Parameters&)> settle = [](Parameters&) {};
  // Returns the problem for `ranks` ranks of omp_get_max_threads() threads and the parameters set so far; fills in
  // those left to the program. Throws UsageError if the call cannot run.
  std::function<Problem(int ranks)> problem;
  std::function<Result(const Context&)> run;
};

// Runs the program and writes its record, one line of JSON, to standard output.
// Exit status: 0 verified, 1 failed (the record says why), 2 usage error.
int run_program(const Program& program, int argc, char** argv);

// The same with the linked backend, for a benchmark whose namespace declares, besides its Params:
//   void declare(Parameters&, Params&);
//   Problem problem(Params&, int ranks);    as Program::problem; or, if any number of ranks works,
//   double footprint(const Params&);        the bytes of each rank
//   void settle(Parameters&, Params&);      as Program::settle; optional, if every call uses all parameters
template <class Params>
int run_program(const char* benchmark, Result (*measure)(const Params&, const Context&), int argc, char** argv) {
  Params params;
  return run_program({.benchmark = benchmark,
                      .backend = {backend_name, backend_devices},
                      .declare = [&](Parameters& parameters) { declare(parameters, params); },
                      .settle =
                          [&](Parameters& parameters) {
                            if constexpr (requires { settle(parameters, params); }) settle(parameters, params);
                          },
                      .problem = [&](int ranks) -> Problem {
                        if constexpr (requires { problem(params, ranks); }) {
                          return problem(params, ranks);
                        } else {
                          return {.footprint = footprint(params)};
                        }
                      },
                      .run = [&](const Context& context) { return measure(params, context); }},
                     argc, argv);
}

}  // namespace banzuke
