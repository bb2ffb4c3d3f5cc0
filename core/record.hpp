// What a benchmark measured, and the record of it: one JSON object, with the schema schema/record.schema.json.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.hpp"

namespace banzuke {

// How much of a machine resource one sample demands; for memory, the minimum traffic of any method. A benchmark that
// measures the resource declares it in its spec.py. Unless the other members say otherwise, the amount is for all ranks
// and all that they run on.
struct Demand {
  std::string resource;        // "flops.fp64", "memory.bytes"
  double amount = 0.0;         // flops, bytes
  std::optional<int> group{};  // served only by the machines of this group of ranks
  std::string busiest{};       // "host" or "device": the amount is that of the busiest one
  std::string area{};          // the storage area that serves it
};

// Work of one sample: what a rate counts (flops for flop/s, bytes for B/s), and its demands on the machine.
struct Work {
  double counted = 0.0;  // 0: the metric is not a rate
  std::vector<Demand> demand{};
};

// `times` times the work.
Work operator*(Work work, double times);
// The demanded amount of a resource.
double demanded(const Work& work, std::string_view resource);

// A lower bound on the time of one sample's work, determined by the program itself.
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

// Metrics of one case as a function of a quantity that grows within it, e.g. the message size.
struct Point {
  double at = 0.0;
  std::vector<Metric> metrics;
};
struct Curve {
  std::string along;  // "message size"
  std::string unit;
  std::vector<Point> points;  // increasing
};

// A figure for each of many pairs of ranks, or of `ends` if there are any.
struct End {
  std::string host;
  std::string device{};       // its identity; empty: host memory
  std::optional<int> node{};  // NUMA node of the host's processors or memory; none: the whole host
};
struct Pairs {
  std::string unit;
  std::vector<std::int64_t> from{};
  std::vector<std::int64_t> to{};
  std::vector<double> values{};
  std::vector<End> ends{};
};

// A quantity in the order in which a thread or a sensor took it: value i is base + values[i] * resolution.
struct SeriesLine {
  std::optional<int> rank{};
  std::optional<int> thread{};
  std::optional<int> cpu{};
  std::string host;
  double base = 0.0;
  std::vector<std::int64_t> values{};  // steps, at least 0
  std::string sensor{};                // "nvml"
  std::string device{};
  std::vector<double> times{};  // seconds since the record's start; empty: back to back
};
struct Series {
  std::string unit;
  double resolution = 0.0;
  std::vector<SeriesLine> lines;
  std::int64_t left_out = 0;  // further measured lines, left out because a record holds only so many values
};

// How often each value of a quantity occurred, over all processors.
struct Distribution {
  std::string unit;
  double resolution = 0.0;
  std::vector<std::int64_t> values;  // steps, ascending
  std::vector<std::int64_t> counts;
};

struct Verification {
  std::string quantity;
  double value = 0.0;
  double tolerance = 0.0;

  bool passed() const { return std::isfinite(value) && value <= tolerance; }
  // `residual is 20.5, allowed 16`; a value that is NaN or infinite is `not finite`, as the front end writes it too.
  std::string text() const;
};

// The larger of two differences found by a check; NaN counts as the largest and is never lost.
inline double larger(double a, double b) {
  return a >= b ? a : std::isnan(b) ? std::numeric_limits<double>::infinity() : b;
}

// Breakdown of a run's time by interval of its progress. All arrays have the same length, at least 1.
struct Breakdown {
  std::string along;         // measure of progress: "share of the columns eliminated"
  std::vector<double> ends;  // where each interval ends, increasing to 1; the first begins at 0
  std::vector<double> flops;
  // Seconds of each part, averaged over the ranks, so that the parts of an interval add up to its wall time.
  std::vector<std::pair<std::string, std::vector<double>>> seconds;
};

// Storage that was used.
struct Area {
  std::string path;
  std::string type;         // of the file system: "lustre"
  Json::Object settings{};  // striping, pool, targets
};

// What a benchmark returns on rank 0.
struct Result {
  std::vector<Metric> metrics;
  std::optional<Breakdown> breakdown;
  std::vector<std::pair<std::string, Curve>> curves{};
  std::vector<std::pair<std::string, Pairs>> pairs{};
  std::vector<std::pair<std::string, Series>> series{};
  std::vector<std::pair<std::string, Distribution>> distributions{};
  std::vector<std::pair<std::string, Area>> areas{};
  std::vector<Verification> verification;
  Json::Object conditions;
  Json::Object software;  // besides that of the build
};

// What a rank reports about itself. Consecutive ranks started as one program form a group.
struct Member {
  std::string program;  // "stream-omp"
  std::string group{};  // its number among the programs of the launcher's command
  std::string host;
  std::string binding;    // threads' lists of processors, joined by '|'
  std::string memory{};   // memory_policy()
  std::string pages{};    // page_kind()
  std::string devices{};  // their identities, joined by '|'
  std::string compiler;
  std::string flags;
  std::string mpi;

  std::string text() const;  // for gathering
  static Member read(const std::string& text);
};

// The record of a case; after a failure it has no figures.
struct RecordHeader {
  std::string benchmark;
  std::string backend;
  Json parameters;
  std::string started;
  std::string ended;
  std::vector<Member> members;  // by rank
  bool unsupported = false;     // the failure is that this is unsupported: skipped, not failed
};
Json make_record(const RecordHeader& header, const Result& result, const std::string& failure);

}  // namespace banzuke
