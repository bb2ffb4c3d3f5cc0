// Storage of a rank's part of the matrix and the operations on it: on the processors (host_store.cpp) or on a device
// (gpu_store.cpp). The rest of the solver, notably panels and messages, is the same and runs on the processors.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/record.hpp"
#include "hpl.hpp"
#include "matrix.hpp"
#include "panel.hpp"
#include "profile.hpp"

namespace banzuke::hpl {

class Store {
 public:
  Store() = default;
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  virtual const Distribution& distribution() const = 0;
  virtual void generate() = 0;
  // Chooses, by a probe, what depends on the machine; call before the clock starts.
  virtual void prepare(PanelFactorization&) {}
  virtual void fill(const std::function<double(std::int64_t, std::int64_t)>& element) = 0;

  // Whether fetch() and update() return before they are done. If so, the next panel is factorised during the rest of
  // the update instead of before it.
  virtual bool queues() const = 0;

  // One of the two panels, in memory suited to its transfers.
  virtual Panel& panel(int number) = 0;
  // Transfers the panel's columns, if this rank has them, to where they are factorised; may return before completion.
  virtual void fetch(Panel& panel) = 0;
  // Then factorises it, on all ranks of the process column.
  virtual void factorise(Panel& panel, PanelFactorization& factorization, Profile& profile) = 0;
  // What is broadcast of it: where to receive it, or, when it is factorised, what to send.
  virtual std::span<double> message(Panel& panel) { return panel.message(); }
  // Called when the broadcast is over: the panel's pivots and L1 are then on the host.
  virtual void arrived(Panel&) {}
  // Takes the factorised panel, which is needed from now on; U's diagonal block goes back into the matrix.
  virtual void take(const Panel& panel) = 0;

  // Row interchanges between ranks, in part 0 or 1 of the columns; none with one process row.
  virtual void start_exchange(int part, const Panel& panel, std::int64_t begin, std::int64_t end) = 0;
  virtual void finish_exchange(int part) = 0;
  virtual void poll_exchanges() = 0;

  // Applies the panel to local columns [begin, end), whose rows were exchanged in `part`. Calls poll() about `looks`
  // times meanwhile. Returns the seconds that the main thread waited for others.
  virtual double update(const Panel& panel, int part, std::int64_t begin, std::int64_t end, int looks,
                        const std::function<void()>& poll) = 0;
  // Waits for the updates that are queued.
  virtual void wait() {}
  // Waits for all queued work; the profile is then that of whatever did the work.
  virtual void finish(Profile& profile) = 0;

  // For back substitution: sides(i) := -(row + i of U) x in the rank's columns from `later` on, plus b on the rank that
  // has it; and the block of U at (row, column), row-major.
  virtual void subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x,
                               std::span<double> sides) = 0;
  struct Block {
    const double* start;
    std::int64_t ld;
  };
  virtual Block block(std::int64_t row, std::int64_t column, std::int64_t width) = 0;
  // By local row: first A x in the rank's columns, then the sum of |A|; A is regenerated.
  virtual std::vector<double> row_sums(std::span<const double> x) = 0;

  virtual Json::Object software() const = 0;
  virtual Json::Object conditions() const = 0;
  // Returns the seconds of the device by Span; empty without one.
  virtual std::vector<double> device_seconds() const { return {}; }
  virtual std::vector<Verification> checks() const = 0;
};

// The backend's store, with one thread per place.
std::unique_ptr<Store> make_store(const Params& params, const Grid& grid, const std::vector<std::vector<int>>& places);
// The memory that the backend needs.
Problem memory(const Params& params);

}  // namespace banzuke::hpl
