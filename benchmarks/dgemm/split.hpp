// One product shared by groups of different speed. A, B and C are in host memory; each rank is a group, of processors
// or of a device and the processor that drives it; the groups share strips of columns of B and C, or blocks of C.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "blocks.hpp"
#include "core/shared_memory.hpp"
#include "core/shares.hpp"
#include "dgemm.hpp"
#include "trace.hpp"

namespace banzuke::dgemm {

// The number of elements of a matrix.
inline std::size_t elements(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

// The shares given by the user, `1:3`; empty if they are determined otherwise. Throws UsageError.
std::vector<double> read_shares(const std::string& split);

// Throws UsageError if there are fewer ranks than `least`, or not a share or a strip for each.
void check_split(const Params& params, int ranks, int least = 2);

// Returns a rank's next block; an empty block means the end. Devices get blocks of all rows.
using NextBlock = std::function<Block()>;
// Reports that this block is done and took the last `seconds`.
using Finish = std::function<void(const Block& block, double seconds)>;
// A rank's part of a call, C := alpha A B + beta C for the blocks that it gets. It takes blocks until one is empty,
// possibly before it has finished earlier ones; when it returns, all are finished, reported in any parts.
using ComputeBlocks = std::function<void(const NextBlock& next, const Finish& finish)>;

// The matrices, in memory shared by all ranks.
class SharedMatrices {
 public:
  // Collective. Each rank fills a part in proportion to its number of threads, so that it is placed near its
  // processors.
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

// Whether the backend's group is a device, driven by a host thread.
bool drives_device();

// What this rank's group computes with, depending on the backend: a library's threads, or a device. A is sent to the
// device in each call, and columns of B and C in pieces while others are computed.
class Group {
 public:
  // Loads the library. The matrices must outlive this object.
  Group(const SharedMatrices& matrices, const std::vector<std::vector<int>>& places);

  void compute(const NextBlock& next, const Finish& finish);
  // Human-readable, in a word or two each.
  std::string library() const;
  std::string method() const;
  Json::Object conditions() const;  // as those of Dgemm
  Json::Object software() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

// The extent of a block, and its factor of C: that of the call, or 1 where an earlier block has begun the same
// elements.
struct Piece {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  double beta = 1.0;
};

// Computes one block after another with a function that multiplies one, at whose first elements a, b and c point.
using Multiply = std::function<void(const Piece& piece, const double* a, const double* b, double* c)>;
void compute_in_turn(const SharedMatrices& matrices, const NextBlock& next, const Finish& finish,
                     const Multiply& multiply);

class SharedProduct {
 public:
  // Collective, like all member functions except those for one rank. `weight`: this rank's, for equal shares; beside a
  // device, which is no number of processors, all have the same.
  SharedProduct(const SharedMatrices& matrices, const Communicator& ranks, double weight, ComputeBlocks compute);

  // Each way of sharing computes all columns once, i.e. one call of the product. If any rank's part fails, the others
  // finish theirs, and then all throw a CommonFailure that names the group.

  // All groups with equal shares, only to start the library's threads.
  void warm_up();
  // Each group in turn computes its share alone, while the others sleep. Shares follow the rates so far, initially the
  // weights. Returns the groups' rates in flop/s.
  std::vector<double> measure_alone();
  // All groups at once; returns the seconds until the last one is done.
  double run(const std::string& split);
  // The same with blocks from each rank's `next`; `leave` is called when this rank takes no more.
  double run_blocks(const NextBlock& next, const std::function<void()>& leave = {});

  std::int64_t calls() const { return calls_; }
  // Number of C's elements that each group computed in the last call, by rank; of some it computed only a part.
  std::vector<double> elements_by_group() const;
  // Which group computed when, over all runs.
  Series trace() const;

  // Number of columns of which not each row was computed exactly once in each call. For one rank, after all calls.
  std::int64_t miscounted() const;
  double residual() const;

 private:
  // Waits asleep, so that a group's processors and quota are free for others meanwhile.
  void meet();
  double compute(const NextBlock& next);  // seconds
  void agree_on_failure() const;
  double run_adaptive();
  // This rank's, of all rows.
  Block share_of(const std::vector<double>& rates) const;

  struct Control {
    alignas(64) std::atomic<std::int64_t> arrived;
    alignas(64) std::atomic<std::int64_t> turn;
  };

  const SharedMatrices& matrices_;
  const Params& p_;
  const Communicator& ranks_;
  ComputeBlocks compute_;
  bool devices_;  // some group is one
  SharedArray<Control> control_;
  SharedArray<Account> accounts_;
  SharedArray<std::atomic<double>> rates_;          // of the groups, in updates per second
  SharedArray<std::atomic<std::uint64_t>> counts_;  // of what was computed of each column, see count_of()
  std::vector<double> weights_;                     // of the groups
  std::vector<double> alone_;                       // rates of the groups, flop/s; their weights until measured
  std::vector<double> in_product_{};                // those of the last adaptive call
  std::string failure_{};                           // of this rank
  std::int64_t calls_ = 0;
  std::int64_t meetings_ = 0;
  std::int64_t turns_ = 0;
  std::int64_t updates_ = 0;  // of this rank in the last call, and its seconds for them
  double busy_ = 0.0;
  RecentRate recent_{};
  std::vector<Finished> finished_{};  // in that call, since it began
  Trace trace_{};
};

Result measure_split(const Params& params, const Context& context);

}  // namespace banzuke::dgemm
