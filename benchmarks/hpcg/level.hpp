// One multigrid level, stored for the kernels. A team of threads works together: each calls the same function with its
// number, owns a part of every vector, and synchronises where a thread needs another's results.
//
// Vectors are in the layout's order. A V-cycle reads each matrix entry about twice instead of five times as in its
// definition, because sums are kept: in the backward sweep, sums over earlier stages are still valid from the forward
// sweep; from x = 0, later stages add nothing in the forward sweep; the residual is needed only at the coarse points,
// where the sums over later stages are known; and after the correction these sums change only by the corrected points.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/halo.hpp"
#include "core/team.hpp"
#include "core/thread_rates.hpp"
#include "grid.hpp"
#include "kernel_choice.hpp"
#include "ordering.hpp"
#include "profile.hpp"
#include "sell.hpp"

namespace banzuke::hpcg {

// The threads of a rank; only thread 0 communicates and measures time.
struct Team {
  explicit Team(int count) : threads(count), parts(team_parts(count)), barrier(count) {}

  int threads;
  Parts parts;
  Barrier barrier;
  Profile profile;
  const Kernels& kernels = widest_kernels();
};

class Level {
 public:
  Level(const SubCommunicator& ranks, const Matrix& matrix, const std::string& ordering, Team& team);

  const Layout& layout() const { return layout_; }
  std::int64_t size() const { return layout_.chunks() * lanes + halo_.external(); }  // of a vector
  double bytes() const;
  // Returns the places that a thread owns: first and one past the last.
  std::pair<std::int64_t, std::int64_t> places(int thread) const;
  double& diagonal(std::int64_t row) { return diagonal_[static_cast<std::size_t>(place_of(row))]; }
  std::int32_t place_of(std::int64_t row) const { return layout_.place[static_cast<std::size_t>(row)]; }

  // x = the smoother applied to r, starting from x = 0 on all ranks. Returns when all threads are done.
  void smooth_from_zero(int thread, const double* r, double* x);
  // y = A x, overlapped with the exchange of external rows of x; all threads must have finished x. Each returns when
  // its part of y is done.
  void multiply(int thread, double* x, double* y);

 private:
  friend class Transition;

  // Start and end the exchange of x; receive() also computes the sums over external rows for the thread's own rows.
  void send(int thread, double* x);
  void receive(int thread, const double* x, Part part);
  Outside outside() const { return {slot_.data(), sums_.data()}; }

  Team& team_;
  Layout layout_;
  Halo halo_;
  std::unique_ptr<Sell> lower_;  // entries of earlier stages
  std::unique_ptr<Sell> upper_;
  Array<double> diagonal_;
  Array<double> known_;  // r minus the sums over earlier stages and outside, from a forward sweep
  Array<double> later_;  // the sums over later stages, from the backward sweep from zero
  // The edge: rows that need external ones, thread by thread. Their chunks have a slot each for the sums of their rows,
  // which are 0 for those that need none.
  std::vector<std::int32_t> slot_;
  std::vector<std::int32_t> edge_;  // places of the edge's rows; negative: padding
  std::vector<std::int64_t> first_edge_;
  std::unique_ptr<Sell> external_;
  std::vector<double> edge_sums_;
  std::vector<double> sums_;  // by slot
};

// Transition between a level and the next coarser one, whose points are a subset of its points.
class Transition {
 public:
  // `rows`: by coarse row, the fine one.
  Transition(Level& fine, const Matrix& matrix, Level& coarse, const std::vector<std::int32_t>& rows, Team& team);

  // right = (r - A x) at the coarse points, after x has been smoothed from zero. Each returns when its part of `right`
  // is done.
  void restrict_residual(int thread, const double* r, double* x, double* right);
  // x += answer at the coarse points, then smooths x. Returns when all threads are done.
  void correct_and_smooth(int thread, const double* r, const double* answer, double* x);
  double bytes() const;

 private:
  Team& team_;
  Level& fine_;
  Level& coarse_;
  std::vector<std::int32_t> fine_place_;  // by coarse place; negative: none
  std::unique_ptr<Sell> earlier_;         // entries of earlier stages in the rows of coarse points
  std::unique_ptr<Sell> corrected_;       // entries of later stages at coarse points, by coarse place
};

}  // namespace banzuke::hpcg
