#include "lu.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "matrix.hpp"
#include "panel.hpp"
#include "reference.hpp"
#include "schedule.hpp"
#include "solve.hpp"
#include "swap.hpp"
#include "update.hpp"

namespace banzuke::hpl {
namespace {

Broadcast broadcast_kind(const std::string& name) {
  return static_cast<Broadcast>(std::ranges::find(broadcast_names, name) - broadcast_names.begin());
}

Swap swap_kind(const std::string& name) {
  return static_cast<Swap>(std::ranges::find(swap_names, name) - swap_names.begin());
}

// A message that goes around a ring waits on each rank until it looks.
constexpr int looks_per_hop = 4;

// FNV-1a over the pivots.
void digest(std::uint64_t& value, std::int64_t pivot) {
  value = (value ^ static_cast<std::uint64_t>(pivot)) * 1099511628211U;
}

}  // namespace

struct Lu::Impl {
  Impl(Params params, const Communicator& communicator, const std::vector<std::vector<int>>& places)
      : p(std::move(params)),
        ranks(communicator),
        grid(ranks, static_cast<int>(p.p), static_cast<int>(p.q), p.order == "row"),
        matrix(grid, p.n, p.nb),
        update(places),
        factorization(grid, matrix.rows, static_cast<int>(p.nbmin), static_cast<int>(p.nb)),
        panels{Panel(matrix.local_rows, p.nb), Panel(matrix.local_rows, p.nb)} {
    if (grid.rows == 1) return;
    for (auto& exchange : exchanges) {
      exchange = std::make_unique<RowExchange>(grid, matrix, p.nb, swap_kind(p.swap), p.swap_threshold);
    }
  }

  // -------------------------------------------------------------------------------------------------------- panels

  std::int64_t width_at(std::int64_t first) const { return std::min(p.nb, p.n - first); }

  void make(Panel& panel) {
    const std::int64_t row = matrix.rows.before(panel.first());
    const std::int64_t column = matrix.columns.before(panel.first());
    copy_in(panel, row, column);
    factorization.run(panel);
    if (matrix.rows.mine(panel.first())) {
      for (std::int64_t i = 0; i < panel.width(); ++i) {
        std::copy_n(panel.l1() + i * panel.width() + i, panel.width() - i, matrix.at(row + i, column + i));
      }
    }
    profile.lap(Part::panel);
    profile.move(Part::panel, Part::pivot_exchange, factorization.exchange_seconds());
  }

  // Eight rows at a time, so that whole cache lines of the panel's columns are written; the next rows are on their way
  // meanwhile, because no prefetcher follows so many streams.
  void copy_in(Panel& panel, std::int64_t row, std::int64_t column) {
    constexpr std::int64_t height = 8;
    const std::int64_t ahead = 2 * height * matrix.ld();
#pragma omp parallel for schedule(static)
    for (std::int64_t begin = 0; begin < panel.rows(); begin += height) {
      const std::int64_t count = std::min(height, panel.rows() - begin);
      const double* from = matrix.at(row + begin, column);
      double* to = panel.body() + begin;
      for (std::int64_t j = 0; j < panel.width(); ++j) {
        if (j % 8 == 0) {
          for (std::int64_t i = 0; i < count; ++i) __builtin_prefetch(from + ahead + i * matrix.ld() + j);
        }
        for (std::int64_t i = 0; i < count; ++i) to[j * panel.ld() + i] = from[i * matrix.ld() + j];
      }
    }
  }

  // Factorises the panel that begins at column `first` where it lies, and sends it along the rows of the grid.
  void begin_panel(Panel& panel, std::int64_t first) {
    panel.shape(first, width_at(first), matrix.local_rows - matrix.rows.before(first));
    if (matrix.columns.mine(first)) make(panel);
    broadcast.emplace(grid.along_row, panel.message(),
                      hpl::broadcast(broadcast_kind(p.broadcast), grid.column, grid.columns,
                                     matrix.columns.owner(first), std::ssize(panel.message())),
                      Communication::Purpose::broadcast);
  }

  void finish_panel(const Panel& panel) {
    if (!broadcast) return;
    broadcast->finish();
    broadcast.reset();
    profile.lap(Part::broadcast_wait);
    for (std::int64_t i = 0; i < panel.width(); ++i) {
      digest(pivots, panel.pivot(i));
      if (singular < 0 && panel.l1()[i * panel.width() + i] == 0.0) singular = panel.first() + i;
    }
  }

  // -------------------------------------------------------------------------------------------------------- update

  // Local columns [begin, end), whose rows `exchange` has brought together when the process column has several ranks.
  void update_columns(const Panel& panel, RowExchange* exchange, std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    const std::int64_t above = matrix.rows.before(panel.first());
    const std::int64_t below = matrix.rows.before(panel.first() + panel.width());
    const Trailing trailing{.u = exchange ? exchange->u(begin) : matrix.at(above, begin),
                            .ldu = exchange ? exchange->ldu() : matrix.ld(),
                            .c = matrix.at(below, begin),
                            .ldc = matrix.ld(),
                            .rows = matrix.local_rows - below,
                            .columns = end - begin};
    const double waited = update.run(
        panel, panel.body() + (below - above), trailing,
        [&](std::int64_t from, std::int64_t to) {
          if (exchange) {
            exchange->place(begin + from, begin + to);
          } else {
            interchange(matrix, panel, begin + from, begin + to);
          }
        },
        grid.rows * grid.columns > 1 ? looks_per_hop * std::max(grid.rows, grid.columns) : 0, [this] { poll(); });
    profile.lap(Part::update);
    profile.move(Part::update, Part::thread_wait, waited);
  }

  void poll() {
    if (broadcast) broadcast->poll();
    for (auto& exchange : exchanges) {
      if (exchange) exchange->poll();
    }
  }

  void start_exchange(RowExchange& exchange, const Panel& panel, std::int64_t begin, std::int64_t end) {
    exchange.start(panel, begin, end);
    profile.lap(Part::swap);
  }

  void finish_exchange(RowExchange& exchange) {
    exchange.finish();
    profile.lap(Part::swap_wait);
  }

  // Where the columns whose rows travel during the update of the others begin.
  std::int64_t split_point(std::int64_t begin) const {
    const std::int64_t columns = matrix.local_columns - begin;
    if (columns < 4 * p.nb) return matrix.local_columns;  // too few to hide anything behind
    return matrix.local_columns - static_cast<std::int64_t>(p.split * static_cast<double>(columns));
  }

  // Applies `panel` to all columns after it and begins the next one; with look-ahead as soon as its columns are ready.
  void step(const Panel& panel, Panel& next) {
    const std::int64_t first = panel.first() + panel.width();
    const bool more = first < p.n;
    const bool early = more && p.lookahead != 0 && grid.columns > 1;
    const std::int64_t begin = matrix.columns.before(first);
    const std::int64_t end = matrix.local_columns;
    const std::int64_t after_next = more ? matrix.columns.before(first + width_at(first)) : begin;
    const std::int64_t ahead = early ? after_next : begin;
    RowExchange* const one = exchanges[0].get();
    RowExchange* const two = exchanges[1].get();

    std::int64_t middle = end;
    if (one) {
      if (!begun) {
        part_two = std::max(ahead, split_point(ahead));
        start_exchange(*one, panel, begin, part_two);
      }
      begun = false;
      middle = part_two;
      finish_exchange(*one);
    }
    update_columns(panel, one, begin, ahead);
    if (early) begin_panel(next, first);
    if (middle < end) start_exchange(*two, panel, middle, end);
    update_columns(panel, one, ahead, middle);
    if (middle < end) {
      finish_exchange(*two);
      if (early && after_next + p.nb <= middle) {  // the next step's look-ahead is within the first part too
        finish_panel(next);
        start_exchange(*one, next, after_next, middle);
        begun = true;
      }
      update_columns(panel, two, middle, end);
    }
    if (more && !early) begin_panel(next, first);
    if (more) finish_panel(next);
  }

  Params p;
  const Communicator& ranks;
  Grid grid;
  Matrix matrix;
  Update update;
  PanelFactorization factorization;
  std::array<Panel, 2> panels;
  std::optional<Communication> broadcast;
  std::array<std::unique_ptr<RowExchange>, 2> exchanges;  // of the two parts of the columns; none with one process row
  bool begun = false;                                     // the first part's exchange for the coming step is under way
  std::int64_t part_two = 0;                              // local column where the second part begins
  Profile profile;
  std::vector<double> x;
  std::uint64_t pivots = 14695981039346656037U;
  std::int64_t singular = -1;
};

Lu::Lu(const Params& params, const Communicator& ranks, const std::vector<std::vector<int>>& places)
    : impl_(make_hidden<Impl>(params, ranks, places)) {}

void Lu::generate() { impl_->matrix.generate(); }
void Lu::fill(const std::function<double(std::int64_t, std::int64_t)>& element) { impl_->matrix.fill(element); }

void Lu::factorise(const std::function<void(double)>& progress) {
  Impl& lu = *impl_;
  lu.profile.begin();
  Panel* panel = lu.panels.data();
  Panel* next = panel + 1;
  lu.begin_panel(*panel, 0);
  lu.finish_panel(*panel);
  for (bool more = true; more;) {
    more = panel->first() + panel->width() < lu.p.n;
    lu.step(*panel, *next);
    lu.profile.next_step();
    std::swap(panel, next);
    const double left = more ? 1.0 - static_cast<double>(panel->first()) / static_cast<double>(lu.p.n) : 0.0;
    progress(1.0 - left * left * left);
  }
  if (lu.singular >= 0) {
    throw std::runtime_error("the matrix is singular: column " + std::to_string(lu.singular) +
                             " has only zeros where its pivot should be");
  }
}

const std::vector<double>& Lu::solve() {
  impl_->x = back_substitute(impl_->grid, impl_->matrix);
  impl_->profile.lap(Part::solve);
  return impl_->x;
}

double Lu::residual() const { return hpl::residual(impl_->ranks, impl_->grid, impl_->matrix, impl_->x); }
std::uint64_t Lu::pivot_digest() const { return impl_->pivots; }
const Profile& Lu::profile() const { return impl_->profile; }
const std::string& Lu::library() const { return impl_->update.library(); }
const std::string& Lu::library_path() const { return impl_->update.library_path(); }

}  // namespace banzuke::hpl
