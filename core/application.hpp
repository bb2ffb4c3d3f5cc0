// The frame of every benchmark program: arguments, ranks, binding, the record, errors and exit status.
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

// Disturbances of this process since construction. Make it right before the timed loop: filling and checking have
// disturbances of their own.
class Watch {
 public:
  Watch();
  // What is timed until the end of the scope, in a loop that does much else. Without any, all until conditions() is.
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
  // Processors that each OpenMP thread may run on, read back.
  const std::vector<std::vector<int>>& places;
  // Reports the progress of a long run: `done` of `total` equal steps, and how fast it is now, on rank 0 only. A rate
  // that is not finite (no time since the last step) is left out.
  void progress(std::int64_t done, std::int64_t total) const;
  void progress(std::int64_t done, std::int64_t total, double rate, const std::string& unit) const;
  // What this rank does from now on, one line: told when the time limit comes. Not for a timed loop.
  static void step(std::string_view text);

  bool show_progress = false;
};

// What a call asks of the machine, as far as the program knows it before it allocates anything.
struct Problem {
  double footprint = 0.0;         // bytes of the rank that needs most
  double device_footprint = 0.0;  // the same of the memory of each of its devices
  Json::Object facts = {};  // what follows from the parameters and the number of ranks; conditions of the record too
};

// One of a benchmark's programs.
struct Backend {
  Backend(const char* name, const char* devices = "") : name(name), devices(devices) {}  // NOLINT: as a string

  std::string name;
  std::string devices;  // whose it drives: "NVIDIA"; empty: none
};

struct Program {
  std::string benchmark;
  Backend backend;
  std::function<void(Parameters&)> declare;
  // After all were read: which of them the call has no use for, and defaults that follow from others.
  std::function<void(Parameters&)> settle = [](Parameters&) {};
  // For `ranks` ranks of omp_get_max_threads() threads and the parameters set so far; fills in those left to the
  // program. Throws UsageError for a call that cannot run.
  std::function<Problem(int ranks)> problem;
  std::function<Result(const Context&)> run;
};

// Runs the program and writes its record, one line of JSON, to standard output.
// Exit status: 0 verified, 1 failed (the record says why), 2 the call was wrong.
int run_program(const Program& program, int argc, char** argv);

// The same, with the backend that is linked, for a benchmark whose namespace declares, beside its Params:
//   void declare(Parameters&, Params&);
//   Problem problem(Params&, int ranks);    as Program::problem; or, where any number of ranks will do,
//   double footprint(const Params&);        the bytes of each rank
//   void settle(Parameters&, Params&);      as Program::settle; where all parameters are of every call, none
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
