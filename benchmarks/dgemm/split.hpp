// One product that groups of unlike speed share: A, B and C lie in the host's memory, each rank is a group, of
// processors or of a device and the processor that drives it, and strips of columns of B and C are what they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/shared_memory.hpp"
#include "core/shares.hpp"
#include "dgemm.hpp"
#include "trace.hpp"

namespace banzuke::dgemm {

// Columns: strips are a multiple of the register tiles that libraries have (4, 6, 8, 12, 16 or 24 columns), and not so
// narrow that reading A takes longer than computing.
inline constexpr std::int64_t strip_unit = 48;

// How many elements a matrix has.
inline std::size_t elements(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

// The shares that a user gives, `1:3`; empty where they follow from something else. Throws UsageError.
std::vector<double> read_shares(const std::string& split);

// Throws UsageError where there is nobody to share with, or not a share or a strip for each.
void check_split(const Params& params, int ranks);

// What a rank does next; an empty strip ends it.
using NextStrip = std::function<Strip()>;
// These columns are done, and the last `seconds` went into them.
using Finish = std::function<void(const Strip& columns, double seconds)>;
// A rank's part of a call, C := alpha A B + beta C for the columns that it is given: it takes strips until one is
// empty, maybe before it has finished those that it took, and when it returns all of them are finished, in any parts.
using ComputeStrips = std::function<void(const NextStrip& next, const Finish& finish)>;

// The matrices, in memory that all ranks see.
class SharedMatrices {
 public:
  // Collective. Each rank fills what is its part by the numbers of threads: it lies near its processors.
  SharedMatrices(Params params, const Communicator& ranks, int threads);

  const Params& params() const { return p_; }
  std::span<double> a() const { return a_.span(); }
  std::span<double> b() const { return b_.span(); }
  std::span<double> c() const { return c_.span(); }
  // The first element of a column.
  const double* column_of_b(std::int64_t column) const { return b_.data() + column * p_.k; }
  double* column_of_c(std::int64_t column) const { return c_.data() + column * p_.m; }

 private:
  Params p_;
  SharedArray<double> a_, b_, c_;
};

// Whether the backend's group is a device, which a thread of the host drives.
bool drives_device();

// What this rank's group computes with, by the backend: a library's threads, or a device, to which A goes anew in each
// call, and columns of B and C in pieces while others are computed.
class Group {
 public:
  // Loads the library. The matrices outlive it.
  Group(const SharedMatrices& matrices, const std::vector<std::vector<int>>& places);

  void compute(const NextStrip& next, const Finish& finish);
  // For people, in a word or two each.
  std::string library() const;
  std::string method() const;
  Json::Object conditions() const;  // as those of Dgemm
  Json::Object software() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// One strip after the other, by what multiplies a strip.
using Multiply = std::function<void(std::int64_t columns, const double* a, const double* b, double* c)>;
void compute_in_turn(const SharedMatrices& matrices, const NextStrip& next, const Finish& finish,
                     const Multiply& multiply);

class SharedProduct {
 public:
  // Collective, as all of its functions but those of one rank. `weight`: of this rank, where shares are equal.
  SharedProduct(const SharedMatrices& matrices, const Communicator& ranks, double weight, ComputeStrips compute);

  // Each way to share computes all columns once: a call of the product. Where the part of any rank fails, the others do
  // theirs, and then all throw a CommonFailure that names the group.

  // All groups by equal shares, for nothing but to start the library's threads.
  void warm_up();
  // Each group alone in turn on its share, while the others sleep. Shares follow the rates so far, at first the
  // weights. The groups' rates in flop/s.
  std::vector<double> measure_alone();
  // All groups at once; the seconds until the last one is done.
  double run(const std::string& split);
  // The same by what each rank's `next` says.
  double run_strips(const NextStrip& next);

  std::int64_t calls() const { return calls_; }
  // How many columns each group computed in the last call, by rank.
  std::vector<double> columns_by_group() const;
  // Who computed when, over all runs.
  Series trace() const;

  // Columns that were not computed once in each call. For one rank to ask, after all calls.
  std::int64_t miscounted() const;
  double residual() const;

 private:
  // Waits asleep: a group's processors are free meanwhile, for whoever else may use them, and so is its quota.
  void meet();
  double compute(const NextStrip& next);  // seconds
  void agree_on_failure() const;

  struct Control {
    alignas(64) std::atomic<std::int64_t> next;
    alignas(64) std::atomic<std::int64_t> arrived;
    alignas(64) std::atomic<std::int64_t> turn;
  };

  const SharedMatrices& matrices_;
  const Params& p_;
  const Communicator& ranks_;
  ComputeStrips compute_;
  SharedArray<Control> control_;
  SharedArray<std::atomic<double>> rates_;         // of the groups, in columns a second
  SharedArray<std::atomic<std::int64_t>> counts_;  // how often each column was computed
  std::vector<double> weights_;                    // of the groups
  std::vector<double> alone_;  // rates of the groups, flop/s; their weights until they were measured
  std::string failure_{};      // of this rank
  std::int64_t calls_ = 0;
  std::int64_t meetings_ = 0;
  std::int64_t turns_ = 0;
  std::int64_t columns_ = 0;  // of this rank in the last call, and its seconds for them
  double busy_ = 0.0;
  std::vector<Finished> finished_{};  // in that call, since it began
  Trace trace_{};
};

Result measure_split(const Params& params, const Context& context);

}  // namespace banzuke::dgemm
