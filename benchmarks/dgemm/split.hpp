// One product that groups of processors of unlike speed share: A, B and C lie in the host's memory, each rank is a
// group with its threads, and strips of columns of B and C are what they share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/shared_memory.hpp"
#include "core/shares.hpp"
#include "dgemm.hpp"

namespace banzuke::dgemm {

// Columns: strips are a multiple of the register tiles that libraries have (4, 6, 8, 12, 16 or 24 columns), and not so
// narrow that reading A takes longer than computing.
inline constexpr std::int64_t strip_unit = 48;

// Throws UsageError where there is nobody to share with, or not a strip for each.
void check_split(const Params& params, int ranks);

// C := alpha A B + beta C for so many columns of B and C, by this rank's threads.
using Multiply = std::function<void(std::int64_t columns, const double* a, const double* b, double* c)>;
// What a rank does next; an empty strip ends it.
using NextStrip = std::function<Strip()>;

class SharedProduct {
 public:
  // Collective, as all of its functions but those of one rank. Fills the matrices.
  SharedProduct(Params params, const Communicator& ranks, int threads, Multiply multiply);

  // Each way to share computes all columns once: a call of the product.

  // All groups by equal shares for each of their threads, for nothing but to start the library's threads.
  void warm_up();
  // Each group alone in turn on its share, while the others sleep. Shares follow the rates so far, at first the numbers
  // of threads. The groups' rates in flop/s.
  std::vector<double> measure_alone();
  // All groups at once; the seconds until the last one is done.
  double run(const std::string& split);
  // The same by what each rank's `next` says.
  double run_strips(const NextStrip& next);

  std::int64_t calls() const { return calls_; }
  // Of the columns that the groups computed in the last call, by rank.
  std::vector<double> columns_by_group() const;

  // Of one rank, after all calls. Columns that were not computed once in each of them.
  std::int64_t miscounted() const;
  double residual() const;

 private:
  // Waits asleep: a group's processors are free meanwhile, for whoever else may use them, and so is its quota.
  void meet();
  double compute(const Strip& strip);  // seconds
  std::vector<double> of_each(double own) const;

  struct Control {
    alignas(64) std::atomic<std::int64_t> next;
    alignas(64) std::atomic<std::int64_t> arrived;
    alignas(64) std::atomic<std::int64_t> turn;
  };

  Params p_;
  const Communicator& ranks_;
  Multiply multiply_;
  SharedArray<Control> control_;
  SharedArray<std::atomic<double>> rates_;         // of the groups, in columns a second
  SharedArray<std::atomic<std::int64_t>> counts_;  // how often each column was computed
  SharedArray<double> a_, b_, c_;
  std::vector<double> threads_;  // of the groups
  std::vector<double> alone_;    // rates of the groups, flop/s; of their threads until they were measured
  std::int64_t calls_ = 0;
  std::int64_t meetings_ = 0;
  std::int64_t turns_ = 0;
  std::int64_t columns_ = 0;  // of this rank in the last call, and its seconds for them
  double busy_ = 0.0;
};

Result measure_split(const Params& params, const Context& context);

}  // namespace banzuke::dgemm
