// What a benchmark measured, and the record made of it: one JSON object, whose schema is schema/record.schema.json.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json.hpp"

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

// A quantity in the order in which it was taken on one processor: value i is base + values[i] * resolution.
struct SeriesLine {
  int rank = 0;
  int thread = 0;
  int cpu = 0;
  std::string host;
  double base = 0.0;
  std::vector<std::int64_t> values;  // steps, at least 0
};
struct Series {
  std::string unit;
  double resolution = 0.0;
  std::vector<SeriesLine> lines;
  std::int64_t left_out = 0;  // processors that were measured too: only so many values go into a record
};

// How often each value of a quantity came on all processors together.
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
  std::vector<std::pair<std::string, Series>> series{};
  std::vector<std::pair<std::string, Distribution>> distributions{};
  std::vector<Verification> verification;
  Json::Object conditions;
  Json::Object software;
};

// The record of a case; a failure's figures are withheld.
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
