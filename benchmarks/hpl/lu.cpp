#include "lu.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "panel.hpp"
#include "reference.hpp"
#include "schedule.hpp"
#include "solve.hpp"
#include "store.hpp"

namespace banzuke::hpl {
namespace {

Broadcast broadcast_kind(const std::string& name) {
  return static_cast<Broadcast>(std::ranges::find(broadcast_names, name) - broadcast_names.begin());
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
        store(make_store(p, grid, places)),
        matrix(store->distribution()),
        factorization(grid, matrix.rows, static_cast<int>(p.nbmin), static_cast<int>(p.nb)) {}

  // -------------------------------------------------------------------------------------------------------- panels

  std::int64_t width_at(std::int64_t first) const { return std::min(p.nb, p.n - first); }

  // Brings the panel that begins at column `first` to where it is factorised.
  void fetch_panel(Panel& panel, std::int64_t first) {
    panel.shape(first, width_at(first), matrix.local_rows - matrix.rows.before(first));
    store->fetch(panel);
  }

  void make(Panel& panel) {
    store->factorise(panel, factorization, profile);
    profile.lap(Part::panel);
    profile.move(Part::panel, Part::pivot_exchange, factorization.exchange_seconds());
  }

  // Factorises the panel, and sends it along the rows of the grid.
  void begin_panel(Panel& panel) {
    const std::int64_t first = panel.first();
    if (matrix.columns.mine(first)) make(panel);
    broadcast.emplace(grid.along_row, store->message(panel),
                      hpl::broadcast(broadcast_kind(p.broadcast), grid.column, grid.columns,
                                     {.root = matrix.columns.owner(first),
                                      .next = matrix.columns.owner(std::min(first + panel.width(), p.n))},
                                     std::ssize(panel.message())),
                      Communication::Purpose::broadcast);
  }

  void finish_panel(Panel& panel) {
    if (!broadcast) return;  // was finished before
    broadcast->finish();
    broadcast.reset();
    profile.lap(Part::broadcast_wait);
    store->arrived(panel);
    for (std::int64_t i = 0; i < panel.width(); ++i) {
      digest(pivots, panel.pivot(i));
      if (singular < 0 && panel.l1()[i * panel.width() + i] == 0.0) singular = panel.first() + i;
    }
    store->take(panel);
    profile.lap(Part::panel);
  }

  // -------------------------------------------------------------------------------------------------------- update

  // Local columns [begin, end), whose rows exchange `part` has brought together when the process column has several
  // ranks.
  void update_columns(const Panel& panel, int part, std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    const int looks = grid.rows * grid.columns > 1 ? looks_per_hop * std::max(grid.rows, grid.columns) : 0;
    const double waited = store->update(panel, part, begin, end, looks, [this] {
      if (broadcast) broadcast->poll();
      store->poll_exchanges();
    });
    profile.lap(Part::update);
    profile.move(Part::update, Part::thread_wait, waited);
  }

  void start_exchange(int part, const Panel& panel, std::int64_t begin, std::int64_t end) {
    store->start_exchange(part, panel, begin, end);
    profile.lap(Part::swap);
  }

  void finish_exchange(int part) {
    store->finish_exchange(part);
    profile.lap(Part::swap_wait);
  }

  // Where the columns whose rows travel during the update of the others begin.
  std::int64_t split_point(std::int64_t begin) const {
    const std::int64_t columns = matrix.local_columns - begin;
    if (columns < 4 * p.nb) return matrix.local_columns;  // too few to hide anything behind
    return matrix.local_columns - static_cast<std::int64_t>(p.split * static_cast<double>(columns));
  }

  // Applies `panel` to all columns after it and begins the next one; with look-ahead as soon as its columns are ready,
  // or, where the update is only queued, when all of it is.
  void step(const Panel& panel, Panel& next) {
    const std::int64_t first = panel.first() + panel.width();
    const bool more = first < p.n;
    const bool queued = store->queues();
    const bool early = more && p.lookahead != 0 && (grid.columns > 1 || queued);
    const std::int64_t begin = matrix.columns.before(first);
    const std::int64_t end = matrix.local_columns;
    const std::int64_t after_next = more ? matrix.columns.before(first + width_at(first)) : begin;
    const std::int64_t ahead = early ? after_next : begin;

    std::int64_t middle = end;
    if (grid.rows > 1) {
      if (!begun) {
        part_two = std::max(ahead, split_point(ahead));
        start_exchange(0, panel, begin, part_two);
      }
      begun = false;
      middle = part_two;
      finish_exchange(0);
    }
    update_columns(panel, 0, begin, ahead);
    if (early) fetch_panel(next, first);
    if (early && !queued) begin_panel(next);
    if (middle < end) start_exchange(1, panel, middle, end);
    update_columns(panel, 0, ahead, middle);
    if (early && queued) begin_panel(next);
    if (middle < end) {
      finish_exchange(1);
      if (early && after_next + p.nb <= middle) {  // the next step's look-ahead is within the first part too
        finish_panel(next);
        start_exchange(0, next, after_next, middle);
        begun = true;
      }
      update_columns(panel, 1, middle, end);
    }
    if (more && !early) {
      fetch_panel(next, first);
      begin_panel(next);
    }
    if (more) finish_panel(next);
  }

  Params p;
  const Communicator& ranks;
  Grid grid;
  std::unique_ptr<Store> store;
  const Distribution& matrix;
  PanelFactorization factorization;
  std::optional<Communication> broadcast;
  bool begun = false;         // the first part's exchange for the coming step is under way
  std::int64_t part_two = 0;  // local column where the second part begins
  Profile profile;
  std::vector<double> x;
  std::uint64_t pivots = 14695981039346656037U;
  std::int64_t singular = -1;
};

Lu::Lu(const Params& params, const Communicator& ranks, const std::vector<std::vector<int>>& places)
    : impl_(make_hidden<Impl>(params, ranks, places)) {}

void Lu::generate() {
  impl_->store->generate();
  impl_->store->prepare(impl_->factorization);
}
void Lu::fill(const std::function<double(std::int64_t, std::int64_t)>& element) { impl_->store->fill(element); }

void Lu::factorise(const std::function<void(double)>& progress) {
  Impl& lu = *impl_;
  lu.profile.begin();
  Panel* panel = &lu.store->panel(0);
  Panel* next = &lu.store->panel(1);
  lu.fetch_panel(*panel, 0);
  lu.begin_panel(*panel);
  lu.finish_panel(*panel);
  for (bool more = true; more;) {
    more = panel->first() + panel->width() < lu.p.n;
    lu.step(*panel, *next);
    lu.profile.next_step();
    std::swap(panel, next);
    const double left = more ? 1.0 - static_cast<double>(panel->first()) / static_cast<double>(lu.p.n) : 0.0;
    progress(1.0 - left * left * left);
  }
  lu.store->finish(lu.profile);
  if (lu.singular >= 0) {
    throw std::runtime_error("the matrix is singular: column " + std::to_string(lu.singular) +
                             " has only zeros where its pivot should be");
  }
}

const std::vector<double>& Lu::solve() {
  impl_->x = back_substitute(impl_->grid, *impl_->store);
  impl_->profile.lap(Part::solve);
  return impl_->x;
}

double Lu::residual() const {
  return hpl::residual(impl_->ranks, impl_->grid, impl_->matrix, impl_->x, impl_->store->row_sums(impl_->x));
}
std::uint64_t Lu::pivot_digest() const { return impl_->pivots; }
const Profile& Lu::profile() const { return impl_->profile; }
Json::Object Lu::software() const { return impl_->store->software(); }
Json::Object Lu::conditions() const { return impl_->store->conditions(); }
Json::Object Lu::device_seconds() const {
  std::vector<double> seconds = impl_->store->device_seconds();
  seconds.push_back(seconds.empty() ? 0.0 : 1.0);
  seconds.insert(seconds.begin(), span_names.size() + 1 - seconds.size(), 0.0);
  impl_->ranks.sum(seconds);
  Json::Object all;
  if (seconds.back() == 0.0) return all;
  for (std::size_t span = 0; span < span_names.size(); ++span) {
    if (static_cast<Span>(span) == Span::wait && seconds[span] == 0.0) continue;  // nothing streams
    all.emplace_back("device_" + std::string(span_names[span]) + "_seconds", seconds[span] / seconds.back());
  }
  return all;
}
std::vector<Verification> Lu::checks() const { return impl_->store->checks(); }

}  // namespace banzuke::hpl
