// One level of the multigrid, stored for the kernels. A team of threads does its work together: each calls the same
// function with its number, owns a part of every vector, and meets the others where one needs what another has made.
//
// Vectors are in the layout's order. A V-cycle takes each entry of the matrix about twice, where its definition takes
// it five times, because sums are kept: backwards, those over the earlier stages still hold from the sweep forwards;
// from x = 0 the later stages add nothing forwards; the residual is needed at the coarse points only, and there the
// sums over the later stages are known; and after the correction these sums change by the corrected points alone.
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
#include "kernels.hpp"
#include "ordering.hpp"
#include "profile.hpp"
#include "sell.hpp"

namespace banzuke::hpcg {

// The threads of a rank; thread 0 alone passes messages and keeps the time.
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
  // The places that a thread owns: first and one past the last.
  std::pair<std::int64_t, std::int64_t> places(int thread) const;
  double& diagonal(std::int64_t row) { return diagonal_[static_cast<std::size_t>(place_of(row))]; }
  std::int32_t place_of(std::int64_t row) const { return layout_.place[static_cast<std::size_t>(row)]; }

  // x = the smoother's answer to r from x = 0, outside too. Returns when all threads are done.
  void smooth_from_zero(int thread, const double* r, double* x);
  // y = A x, while the external rows of x travel; all threads have finished x. Each returns with its part of y.
  void multiply(int thread, double* x, double* y);

 private:
  friend class Transition;

  // Starts the exchange of x and ends it, with the sums over its external rows for the thread's own rows.
  void send(int thread, double* x);
  void receive(int thread, const double* x, Part part);
  Outside outside() const { return {slot_.data(), sums_.data()}; }

  Team& team_;
  Layout layout_;
  Halo halo_;
  std::unique_ptr<Sell> lower_;  // entries of earlier stages
  std::unique_ptr<Sell> upper_;
  Array<double> diagonal_;
  Array<double> known_;  // r less the sums over earlier stages and outside, from a sweep forwards
  Array<double> later_;  // the sums over later stages, from the sweep backwards from zero
  // Chunks with rows that need external ones are the edge; a slot is a chunk's number among them, by thread one after
  // another.
  std::vector<std::int32_t> slot_;
  std::vector<std::int64_t> edge_;  // by slot: the chunk
  std::vector<std::int64_t> first_slot_;
  std::unique_ptr<Sell> external_;
  std::vector<double> sums_;
};

// Between a level and the next coarser one, whose points are some of its points.
class Transition {
 public:
  // `rows`: by coarse row, the fine one.
  Transition(Level& fine, const Matrix& matrix, Level& coarse, const std::vector<std::int32_t>& rows, Team& team);

  // right = (r - A x) at the coarse points, after x has been smoothed from zero. Each returns with its part of `right`.
  void restrict_residual(int thread, const double* r, double* x, double* right);
  // x += answer at the coarse points, and x smoothed then. Returns when all threads are done.
  void correct_and_smooth(int thread, const double* r, const double* answer, double* x);
  double bytes() const;

 private:
  Team& team_;
  Level& fine_;
  Level& coarse_;
  std::vector<std::int32_t> fine_place_;  // by coarse place; negative: none
  std::unique_ptr<Sell> earlier_;         // of the coarse points' rows the entries of earlier stages
  std::unique_ptr<Sell> corrected_;       // of all rows the entries of later stages at coarse points, by coarse place
};

}  // namespace banzuke::hpcg
