// The solver on several ranks: every grid of as many ranks as the launcher started, with every way of sending panels
// and rows. Exit status 1 when something is wrong; rank 0 names the case.
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "core/testing.hpp"
#include "deal.hpp"
#include "grid.hpp"
#include "lu.hpp"
#include "schedule.hpp"
#include "swap.hpp"
#include "testing.hpp"

namespace banzuke::hpl {
namespace {

constexpr double rounding = 1e-9;  // of x, relative to its largest entry
constexpr std::array<double, 3> splits{0.0, 0.3, 0.5};
constexpr std::array<std::array<int, 2>, 8> grids{{{1, 1}, {1, 2}, {2, 1}, {3, 1}, {2, 2}, {1, 5}, {2, 3}, {3, 2}}};

struct Problem {
  Problem(const char* what, std::int64_t order, Element elements)
      : name(what), n(order), of(std::move(elements)), plain(n, of) {}

  const char* name;
  std::int64_t n;
  Element of;
  Plain plain;
};

std::string text(const Params& p) {
  return "n " + std::to_string(p.n) + ", nb " + std::to_string(p.nb) + ", grid " + std::to_string(p.p) + " x " +
         std::to_string(p.q) + " by " + p.order + ", nbmin " + std::to_string(p.nbmin) + ", inner " +
         std::to_string(p.inner) + ", broadcast " + p.broadcast + ", swap " + p.swap + " " +
         std::to_string(p.swap_threshold) + ", lookahead " + std::to_string(p.lookahead) + ", split " +
         std::to_string(p.split) + ", deal " + p.deal + ", panel " + p.panel + ", messages " + p.messages +
         ", threads " + std::to_string(omp_get_max_threads());
}

// Runs cases and counts what is wrong.
class Cases {
 public:
  explicit Cases(const Communicator& ranks) : ranks_(ranks) {}

  void solve(const Problem& problem, Params params) {
    params.n = problem.n;
    Lu lu(params, ranks_, places_);
    lu.fill(problem.of);
    lu.factorise();
    const auto& mine = lu.solve();
    const bool by_rows = params.order == "row";
    const Grid grid(ranks_, static_cast<int>(params.p), static_cast<int>(params.q), by_rows);
    const int place = by_rows ? grid.row * grid.columns + grid.column : grid.column * grid.rows + grid.row;
    expect(place == ranks_.rank(), "place on the grid", problem.name, params);
    const Cyclic columns(params.nb, column_turns(params), grid.column);
    std::vector<double> expected;
    expected.reserve(mine.size());
    for (std::int64_t i = 0; i < columns.before(params.n); ++i) {
      expected.push_back(problem.plain.x[index(columns.global(i))]);
    }
    expect(mine.size() == expected.size(), "number of entries of x", problem.name, params);
    expect(expected.empty() || difference(mine, expected) <= rounding, "x", problem.name, params);
    expect(lu.pivot_digest() == digest(problem.plain.pivots), "pivots", problem.name, params);
  }

  void verify(const Params& params) {
    Lu lu(params, ranks_, places_);
    lu.generate();
    lu.factorise();
    lu.solve();
    const double residual = lu.residual();
    expect(residual <= tolerance, "residual", "official", params);
    expect(ranks_.maximum(residual) == -ranks_.maximum(-residual), "residual everywhere", "official", params);
  }

  // Every rank must complain about `column`.
  void refuse(std::int64_t column, const Params& params) {
    Lu lu(params, ranks_, places_);
    lu.fill(exact(params.n, column));
    bool named = false;
    try {
      lu.factorise();
    } catch (const std::runtime_error& error) {
      named = std::string(error.what()).find("column " + std::to_string(column) + " ") != std::string::npos;
    }
    expect(named, "complaint", "singular", params);
  }

  void spoil(std::int64_t row, std::int64_t column, const Params& params) {
    Lu lu(params, ranks_, places_);
    lu.fill([&](std::int64_t i, std::int64_t j) { return i == row && j == column ? NAN : element(params.n, i, j); });
    lu.factorise();
    lu.solve();
    expect(!(lu.residual() <= tolerance), "residual", "NaN", params);
  }

  // That of the processors; devices' own memory is not seen here.
  void allocate(const Params& params) {
    if (hpl::problem(params, ranks_.size()).device_footprint > 0.0) return;
    const double before = mapped_bytes();
    const Lu lu(params, ranks_, places_);
    const double used = mapped_bytes() - before;
    expect(used <= footprint(params) + mapped_slack, "memory within the footprint", "", params);
#ifndef __SANITIZE_ADDRESS__  // which gives back, meanwhile, memory that was freed before
    expect(ranks_.maximum(used) >= 0.9 * footprint(params), "footprint used", "", params);
#endif
  }

  void measure(const Params& params) {
    const std::vector<double> rates = measure_rates(params, ranks_, places_);
    const double slowest = std::ranges::min(rates);
    expect(std::ssize(rates) == ranks_.size() && slowest > 0.0, "rates", "official", params);
    expect(ranks_.maximum(slowest) == -ranks_.maximum(-slowest), "rates everywhere", "official", params);
  }

  // One column of the grid is said to be much faster than the others. Only a rehearsal that took 20 s could give
  // another one more than it: the processors' own rates hardly count.
  void rehearse(const Problem& problem, Params params) {
    params.n = problem.n;
    for (std::size_t fast = 0; fast < index(params.q); ++fast) {
      std::vector<double> rates(index(params.q), 1e3);
      rates[fast] = 99e3;
      params.deal = deal_by_rehearsal(params, rates, ranks_, places_);
      const std::vector<double> shares = column_shares(params);
      const auto most = static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
      expect(std::ssize(shares) == params.q && most == fast, "shares of a rehearsal", problem.name, params);
      expect(ranks_.maximum(shares[fast]) == -ranks_.maximum(-shares[fast]), "shares everywhere", problem.name, params);
      solve(problem, params);
      verify(params);
    }
    const std::vector<double> alike(index(params.q), 1e3);
    expect(deal_by_rehearsal(params, alike, ranks_, places_) == "equal", "shares of alike columns", "", params);
  }

  int failed() const { return failed_; }

 private:
  // False on any rank is false on all.
  void expect(bool holds, const char* what, const char* name, const Params& params) {
    if (ranks_.maximum(holds ? 0.0 : 1.0) == 0.0) return;
    ++failed_;
    if (ranks_.rank() == 0) std::printf("FAILED %s; %s matrix, %s\n", what, name, text(params).c_str());
  }

  const Communicator& ranks_;
  std::vector<std::vector<int>> places_{{allowed_cpus().front()}};
  int failed_ = 0;
};

Params on_grid(int p, int q, std::size_t broadcast, std::size_t swap, std::size_t lookahead, double split,
               bool by_rows) {
  return {.nb = 3,
          .p = p,
          .q = q,
          .order = by_rows ? "row" : "column",
          .nbmin = 2,
          .inner = by_rows ? 2 : 0,
          .lookahead = static_cast<std::int64_t>(lookahead),
          .broadcast = broadcast_names[broadcast],
          .swap = swap_names[swap],
          .swap_threshold = 10,
          .split = split};
}

// On devices, with every way to factorise panels that the grid allows, in host and device memory in turn.
Params on_devices(Params params, std::size_t turn) {
  params.messages = turn / 2 % 2 == 1 ? "device" : "host";
  if (params.p == 1) params.panel = turn % 2 == 1 ? "device" : "host";
  return params;
}

// Every way to send panels and rows: all together on the smallest grid that has rows and columns; elsewhere so that
// every look-ahead meets every split with every swap, and every broadcast meets each of them.
void send_in_every_way(Cases& cases, const Problem& problem, int p, int q, bool devices) {
  for (std::size_t broadcast = 0; broadcast < broadcast_names.size(); ++broadcast) {
    for (std::size_t swap = 0; swap < swap_names.size(); ++swap) {
      for (std::size_t split = 0; split < splits.size(); ++split) {
        for (const std::size_t lookahead : {0, 1}) {
          const bool meet = (broadcast + split) % 3 == swap && (broadcast / 3 + split) % 2 == lookahead;
          if (!meet && (p != 2 || q != 2)) continue;
          const bool by_rows = (broadcast + swap) % 2 == 0;
          const Params params = on_grid(p, q, broadcast, swap, lookahead, splits[split], by_rows);
          cases.solve(problem, devices ? on_devices(params, broadcast) : params);
        }
      }
    }
  }
}

// The sizes and matrices at which the distribution, the panels or the messages are at their limits.
void go_to_the_limits(Cases& cases, const std::vector<Problem>& problems, int p, int q) {
  std::size_t turn = 0;
  const auto params = [&](std::int64_t n, std::int64_t nb) {
    ++turn;
    Params one = on_grid(p, q, turn % 6, turn % 3, 1, splits[turn / 3 % 3], turn / 2 % 2 == 0);
    one.n = n;
    one.nb = nb;
    return one;
  };
  for (const Problem& problem : problems) {
    for (const std::int64_t nb : {1, 16}) {
      omp_set_num_threads(nb == 16 ? 2 : 1);
      cases.solve(problem, params(problem.n, nb));
    }
  }
  cases.solve(problems.back(), params(problems.back().n, 100));
  for (const std::int64_t column : {0, 20, 44}) cases.refuse(column, params(45, 6));
  for (const std::int64_t place : {0, 20, 44}) cases.spoil(place, 44 - place, params(45, 6));
  // Columns enough for strips of several threads.
  for (const std::int64_t n : {77, 200, 1300}) cases.verify(params(n, n / 20));
  cases.allocate(params(10000, 128));
}

// Shares of the columns, from one that is alone for long to one that has no block at all: x, pivots and residual must
// be those of equal shares.
void share_unequally(Cases& cases, const Problem& problem, int p, int q, bool devices) {
  for (std::size_t turn = 0; turn < broadcast_names.size(); turn += devices ? 5 : 1) {
    Params params = on_grid(p, q, turn, turn % 3, turn % 2, splits[turn % 3], turn % 2 == 0);
    std::vector<double> columns(index(q), turn % 3 == 2 ? 1e-9 : 1.0);
    columns[turn % columns.size()] = turn % 3 == 0 ? 2.7 : 5.0;
    params.deal = deal_by_rates(columns);
    cases.solve(problem, params);
    params.n = 77;
    cases.verify(params);
  }
  Params params = on_grid(p, q, 0, 0, 1, 0.5, true);
  params.n = 10000;
  params.nb = 128;
  std::vector<double> columns(index(q), 0.3);
  columns.back() = 1.0;
  params.deal = deal_by_rates(columns);
  cases.allocate(params);
}

void run(const Communicator& ranks, Cases& cases) {
  const Problem main("official", 83, official(83));
  std::vector<Problem> others;
  for (const std::int64_t n : {1, 2, 48}) others.emplace_back("official", n, official(n));
  others.emplace_back("Wilkinson's", 50, wilkinson(50));
  others.emplace_back("permutation", 60, permutation(60));
  for (const auto& [p, q] : grids) {
    if (p * q != ranks.size()) continue;
    omp_set_num_threads(1);
    const Params equal = on_grid(p, q, 0, 0, 1, 0.0, true);
    const bool devices = hpl::problem(equal, ranks.size()).device_footprint > 0.0;
    send_in_every_way(cases, main, p, q, devices);
    go_to_the_limits(cases, others, p, q);
    if (q == 1) continue;
    share_unequally(cases, main, p, q, devices);
    if (ranks.size() != 2) continue;
    cases.measure(equal);
    cases.rehearse(main, equal);
  }
}

}  // namespace
}  // namespace banzuke::hpl

int main(int argc, char** argv) {
  const banzuke::Communicator ranks(argc, argv);
  if (std::getenv("BANZUKE_BLAS") == nullptr) {
    if (ranks.rank() == 0) std::puts("[  SKIPPED ] BANZUKE_BLAS names no library");
    return 0;
  }
  try {
    banzuke::hpl::Cases cases(ranks);
    banzuke::hpl::run(ranks, cases);
    return cases.failed() == 0 ? 0 : 1;
  } catch (const std::exception& error) {  // the other ranks wait for this one
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), error.what());
    ranks.abort(1);
  }
}
