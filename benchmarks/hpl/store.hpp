// Where a rank's part of the matrix lives, and what is done to it there: on the processors (host_store.cpp) or on a
// device (gpu_store.cpp). The rest of the solver, panels and messages above all, is on the processors and the same.
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
  virtual void fill(const std::function<double(std::int64_t, std::int64_t)>& element) = 0;

  // Whether fetch() and update() return before they are done: then the next panel is made while the rest is updated,
  // and not before.
  virtual bool queues() const = 0;

  // One of the two panels, in memory that suits the way there and back.
  virtual Panel& panel(int number) = 0;
  // Brings the panel's columns, where they are the rank's, to where they are factorised; they may be on the way still.
  virtual void fetch(Panel& panel) = 0;
  // Then all ranks of the process column factorise it.
  virtual void factorise(Panel& panel, PanelFactorization& factorization, Profile& profile) = 0;
  // The panel has its factors, which are needed from now on; U's block on the diagonal goes back into the matrix.
  virtual void take(const Panel& panel) = 0;

  // The interchanges of rows between ranks, in part 0 or 1 of the columns; none with one process row.
  virtual void start_exchange(int part, const Panel& panel, std::int64_t begin, std::int64_t end) = 0;
  virtual void finish_exchange(int part) = 0;
  virtual void poll_exchanges() = 0;

  // Applies the panel to local columns [begin, end), whose rows have come together in `part`. poll() is called about
  // `looks` times on the way. Returns the seconds that the main thread waited for others.
  virtual double update(const Panel& panel, int part, std::int64_t begin, std::int64_t end, int looks,
                        const std::function<void()>& poll) = 0;
  // Until all that was queued is done; the profile is then of what has done it.
  virtual void finish(Profile& profile) = 0;

  // For back substitution: sides(i) := -(row + i of U) x in the rank's columns from `later` on, and b added by who has
  // it; and the block of U at (row, column), row after row.
  virtual void subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x,
                               std::span<double> sides) = 0;
  struct Block {
    const double* start;
    std::int64_t ld;
  };
  virtual Block block(std::int64_t row, std::int64_t column, std::int64_t width) = 0;
  // By local row: first A x in the rank's columns, then the sum of |A|; A is generated again.
  virtual std::vector<double> row_sums(std::span<const double> x) = 0;

  virtual Json::Object software() const = 0;
  virtual Json::Object conditions() const = 0;
  virtual std::vector<Verification> checks() const = 0;
};

// The backend's store. One thread per place, as elsewhere.
std::unique_ptr<Store> make_store(const Params& params, const Grid& grid, const std::vector<std::vector<int>>& places);
// The memory that the backend needs.
Problem memory(const Params& params);

}  // namespace banzuke::hpl
