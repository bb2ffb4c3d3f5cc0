// The frame of every benchmark program: arguments, ranks, binding, the record, errors and exit status.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"
#include "core/parameters.hpp"

namespace banzuke {

// Work of one sample; `moved` is the least that any method moves to and from memory.
struct Work {
  double flops = 0.0;
  double bytes = 0.0;
  double moved = 0.0;
};

// The least time that one sample's work could take, as the program itself found out beside it.
struct Bound {
  std::string kind;  // measured or theoretical
  double seconds = 0.0;
  std::string source;  // for people: "a direct copy between the two processors"
};

struct Metric {
  std::string name;
  std::string unit;
  std::vector<double> samples;
  Work work;
  std::vector<Bound> bounds{};
};

// Metrics of one case over something that grows within it, e.g. the message size.
struct Point {
  double at = 0.0;
  std::vector<Metric> metrics;
};
struct Curve {
  std::string along;  // "message size"
  std::string unit;
  std::vector<Point> points;  // increasing
};

// A figure for every pair of ranks: values[i] are those of rank i with the ranks before it.
struct Matrix {
  std::string unit;
  std::vector<std::vector<double>> values;
};

struct Verification {
  std::string quantity;
  double value = 0.0;
  double tolerance = 0.0;

  bool passed() const { return value <= tolerance; }  // false when value is NaN
};

// Where the time of one run went, interval by interval of its progress. All arrays have the same length, at least 1.
struct Breakdown {
  std::string along;         // what grows with the progress: "share of the columns eliminated"
  std::vector<double> ends;  // where each interval ends, increasing to 1; the first begins at 0
  std::vector<double> flops;
  // By part; means over the ranks, so that the parts of an interval add up to its wall time.
  std::vector<std::pair<std::string, std::vector<double>>> seconds;
};

// What a benchmark gives back on rank 0.
struct Result {
  std::vector<Metric> metrics;
  std::optional<Breakdown> breakdown;
  std::optional<Curve> curve{};
  std::vector<std::pair<std::string, Matrix>> matrices{};
  std::vector<Verification> verification;
  Json::Object conditions;
  Json::Object software;
};

// What disturbed this process since the watch was made; made right before the timed loop, because what comes before and
// after it (filling, checking) has disturbances of its own.
class Watch {
 public:
  Watch();
  // involuntary_switches of all threads, and timed_seconds.
  Json::Object conditions() const;

 private:
  long switches_;
  double start_;
};

class Context {
 public:
  const Communicator& ranks;
  // Processors that each OpenMP thread may run on, read back.
  const std::vector<std::vector<int>>& places;
  // Tells people how far a long run is: `done` of `total` equal steps, and how fast it is now, on rank 0 only. A rate
  // that is not finite (no time since the last step) is left out.
  void progress(std::int64_t done, std::int64_t total) const;
  void progress(std::int64_t done, std::int64_t total, double rate, const std::string& unit) const;
  // What this rank does from now on, one line: told when the time limit comes. Not for a timed loop.
  static void step(std::string_view text);

  bool show_progress = false;
};

struct Program {
  std::string benchmark;
  std::string backend;
  std::function<void(Parameters&)> declare;
  // Bytes that one of so many ranks needs with the parameters now set.
  std::function<double(int)> footprint;
  std::function<Result(const Context&)> run;
};

// Runs the program and writes its record, one line of JSON, to standard output.
// Exit status: 0 verified, 1 failed (the record says why), 2 the call was wrong.
int run_program(const Program& program, int argc, char** argv);

// The record of a case; a failure's figures are withheld. Exposed for the test against schema/golden.
struct RecordHeader {
  std::string benchmark;
  std::string backend;
  Json parameters;
  int ranks = 1;
  int threads = 1;
  std::string started;
  std::string ended;
  std::vector<std::string> hosts;     // by rank
  std::vector<std::string> bindings;  // by rank: threads' lists joined by '|'
  Json::Object software;              // of the build; the result adds its own
};
Json make_record(const RecordHeader& header, const Result& result, const std::string& failure);

}  // namespace banzuke
