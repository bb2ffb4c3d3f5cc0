#include "gpu_store.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/gpu/timing.hpp"
#include "swap.hpp"

namespace banzuke::hpl {
namespace {

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

// Rows of one product: its elements are fewer than 2^31 whatever their distance.
constexpr std::int64_t most_rows = 4096;

// The library's products are fastest where all extents are whole lines; beyond the last column there are zeros.
constexpr std::int64_t whole(std::int64_t columns) { return (columns + 7) / 8 * 8; }

}  // namespace

GpuStore::Sides::Sides(std::int64_t rows, std::int64_t nb)
    : memory(Panel::size(rows, nb)),
      panel(memory.span()),
      numbers(memory.size()),
      moves_memory(size(4 * nb)),
      moves(moves_memory.size()),
      inverse(size(nb * nb)) {}

GpuStore::GpuStore(const Params& params, const Grid& grid)
    : of_(grid, params.n, params.nb, take_turns(grid.columns)),
      nb_(params.nb),
      numbers_(size(of_.local_rows * of_.ld)),
      matrix_{numbers_.data(), of_.ld},
      rows_(size(params.nb * of_.ld)),
      brought_{rows_.data(), of_.ld},
      x_(size(of_.ld)),
      block_(size(params.nb * params.nb)),
      right_(size(params.nb)),
      sides_{Sides(of_.local_rows, params.nb), Sides(of_.local_rows, params.nb)},
      u_(grid.rows > 1 ? rows_.size() : 0) {
  if (grid.rows == 1 && params.inner > 0 && params.inner < params.nb) {
    parts_.emplace(of_.local_rows, params.inner, copies_, panel_blas_);
  }
  if (grid.rows == 1) return;
  for (auto& exchange : exchanges_) {
    exchange = std::make_unique<GpuRows>(grid, of_, matrix_, params.nb, swap_kind(params.swap), params.swap_threshold);
  }
}

void GpuStore::generate() {
  launch_generate(of_, numbers_.data(), stream_);
  stream_.wait();
}

void GpuStore::fill(const std::function<double(std::int64_t, std::int64_t)>& element) {
  std::vector<double> row(size(of_.ld));
  for (std::int64_t i = 0; i < of_.local_rows; ++i) {
    for (std::int64_t j = 0; j < of_.local_columns; ++j) {
      row[size(j)] = element(of_.rows.global(i), of_.columns.global(j));
    }
    gpu::copy(matrix_.at(i, 0), gpu::HostPointer<double>(row.data()), row.size(), stream_);
    stream_.wait();
  }
}

// ------------------------------------------------------------------------------------------------------------- panels

gpu::DevicePointer<double> GpuStore::on_device(Sides& of, const double* number) {
  return of.numbers.data() + (number - of.panel.message().data());
}

void GpuStore::fetch(Panel& panel) {
  Sides& of = sides(panel);
  of.taken.wait();  // its last content is on the device, so that this memory is free
  spans_.begin(stream_);
  if (!of_.columns.mine(panel.first())) return;
  const DeviceMatrix from{matrix_.at(of_.rows.before(panel.first()), of_.columns.before(panel.first())), matrix_.ld};
  const auto body = on_device(of, panel.body());
  launch_transpose(from, panel.rows(), panel.width(), body, panel.ld(), stream_);
  of.gathered.record(stream_);
  spans_.end(Span::move, stream_);
  copies_.after(of.gathered);
  if (parts_) return;
  gpu::copy(gpu::PinnedPointer<double>(panel.body()), body, size(panel.ld() * panel.width()), copies_);
  of.fetched.record(copies_);
}

void GpuStore::factorise(Panel& panel, PanelFactorization& factorization, Profile& profile) {
  Sides& of = sides(panel);
  of.gathered.wait();
  profile.lap(Part::update);
  of.on_device = parts_.has_value();
  if (parts_) {
    parts_->run(panel, of.numbers.data(), factorization, profile);
    // The host needs L1, and the rest where others get it.
    const double* l1 = panel.l1();
    const bool alone = of_.columns.ranks == 1;
    const auto count = alone ? panel.width() * panel.width() : std::ssize(panel.message()) - panel.width();
    gpu::copy(gpu::PinnedPointer<double>(panel.l1()), on_device(of, l1), size(count), copies_);
    copies_.wait();
    profile.lap(Part::transfer);
    return;
  }
  of.fetched.wait();
  profile.lap(Part::transfer);
  factorization.run(panel);
}

// Sources of U's rows and where they go, then displaced rows and their targets; all local.
void GpuStore::write_moves(Sides& of) const {
  const RowMoves moves(of.panel);
  const auto list = of.moves_memory.span();
  const auto local = [&](std::int64_t row) { return of_.rows.before(row); };
  of.displaced = std::ssize(moves.displaced);
  for (std::size_t i = 0; i < moves.sources.size(); ++i) {
    list[i] = local(moves.sources[i]);
    list[size(nb_) + i] = static_cast<std::int64_t>(i);
  }
  for (std::size_t i = 0; i < moves.displaced.size(); ++i) {
    list[2 * size(nb_) + i] = local(moves.displaced[i].row);
    list[3 * size(nb_) + i] = local(moves.displaced[i].to);
  }
}

void GpuStore::take(const Panel& panel) {
  Sides& of = sides(panel);
  if (!exchanges_.front()) write_moves(of);
  copies_.after(of.used);
  const double* l1 = panel.l1();
  const double* end = of.on_device ? l1 : panel.message().data() + panel.message().size();
  gpu::copy(of.moves.data(), of.moves_memory.data(), of.moves.size(), copies_);
  gpu::copy(on_device(of, l1), gpu::PinnedPointer<const double>(l1), size(end - l1), copies_);
  of.on_device = false;
  const bool here = of_.rows.mine(panel.first()) && of_.columns.mine(panel.first());
  const DeviceMatrix diagonal{here ? matrix_.at(of_.rows.before(panel.first()), of_.columns.before(panel.first()))
                                   : gpu::DevicePointer<double>(),
                              matrix_.ld};
  launch_open_block(on_device(of, l1), panel.width(), diagonal, of.inverse.data(), copies_);
  panel_blas_.solve_unit_upper(panel.width(), panel.width(), on_device(of, l1), panel.width(), of.inverse.data(),
                               panel.width());
  of.taken.record(copies_);

  // From the end of what the device has had to do.
  stream_.after(of.taken);
  spans_.end(Span::idle, stream_);
  if (taken_++ > 0) spans_.next_step();
}

// ------------------------------------------------------------------------------------------------------------- update

void GpuStore::start_exchange(int part, const Panel& panel, std::int64_t begin, std::int64_t end) {
  exchange(part)->start(panel, begin, end, stream_);
}
void GpuStore::finish_exchange(int part) { exchange(part)->finish(); }
void GpuStore::poll_exchanges() {}

// The rows that become U, and those that they displace.
void GpuStore::bring_rows(Sides& of, std::int64_t begin, std::int64_t columns) {
  const DeviceMatrix matrix{matrix_.at(0, begin), matrix_.ld};
  const DeviceMatrix brought{brought_.at(0, begin), brought_.ld};
  const auto list = of.moves.data();
  launch_copy_rows(matrix, brought, {list, list + nb_, of.panel.width()}, columns, stream_);
  launch_copy_rows(matrix, matrix, {list + 2 * nb_, list + 3 * nb_, of.displaced}, columns, stream_);
}

void GpuStore::subtract_product(Sides& of, const DeviceMatrix& u, std::int64_t begin, std::int64_t columns) {
  const Panel& panel = of.panel;
  const std::int64_t above = of_.rows.before(panel.first());
  const std::int64_t below = of_.rows.before(panel.first() + panel.width());
  for (std::int64_t row = below; row < of_.local_rows; row += most_rows) {
    const std::int64_t rows = std::min(most_rows, of_.local_rows - row);
    blas_.dgemm(columns, rows, panel.width(), -1.0, u.start, u.ld, on_device(of, panel.body() + (row - above)),
                panel.ld(), 1.0, matrix_.at(row, begin), matrix_.ld, gpu::Transpose::yes);
    flops_ += 2.0 * static_cast<double>(columns * rows) * static_cast<double>(panel.width());
  }
}

double GpuStore::update(const Panel& panel, int part, std::int64_t begin, std::int64_t end, int,
                        const std::function<void()>& poll) {
  Sides& of = sides(panel);
  const std::int64_t columns = (end == of_.local_columns ? whole(end) : end) - begin;
  const std::int64_t width = panel.width();
  DeviceMatrix u{matrix_.at(of_.rows.before(panel.first()), begin), matrix_.ld};
  if (GpuRows* const rows = exchange(part)) {
    rows->place(begin, end - begin, {brought_.at(0, begin), brought_.ld}, stream_);
    if (!rows->has_diagonal()) u = {u_.data() + begin, of_.ld};
  } else {
    bring_rows(of, begin, columns);
  }
  spans_.end(Span::move, stream_);
  blas_.dgemm(columns, width, width, 1.0, brought_.at(0, begin), brought_.ld, of.inverse.data(), width, 0.0, u.start,
              u.ld);
  spans_.end(Span::solve, stream_);
  subtract_product(of, u, begin, columns);
  spans_.end(Span::update, stream_);
  of.used.record(stream_);
  poll();
  return 0.0;
}

// The device's time: what it did, and where it had nothing to do, what the main thread did meanwhile.
void GpuStore::finish(Profile& profile) {
  stream_.wait();
  profile.skip();
  constexpr std::array before{Part::panel, Part::pivot_exchange, Part::transfer, Part::broadcast_wait, Part::swap_wait};
  const auto spans = spans_.by_step();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto of = [&](Span span) { return spans[i][static_cast<std::size_t>(span)]; };
    Profile::Step& step = profile.step(i);
    const auto part = [&](Part which) -> double& { return step[static_cast<std::size_t>(which)]; };
    double host = 0.0;
    for (const Part which : before) host += part(which);
    for (const Part which : before) part(which) *= host > 0.0 ? of(Span::idle) / host : 0.0;
    part(Part::swap) = of(Span::move);
    part(Part::update) = of(Span::solve) + of(Span::update);
    for (std::size_t span = 0; span < span_names.size(); ++span) spent_[span] += spans[i][span];
  }
}

// ------------------------------------------------------------------------------------------------- solution and check

void GpuStore::subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x,
                               std::span<double> sides) {
  const std::int64_t own_columns = of_.columns.before(of_.n);
  // What has been solved since this rank had a block on the diagonal, which its process column has in turn.
  const auto fresh = x.subspan(size(later), size(std::min(nb_ * of_.rows.ranks, own_columns - later)));
  gpu::copy(x_.data() + later, gpu::HostPointer<const double>(fresh.data()), fresh.size(), stream_);
  const DeviceMatrix side{of_.columns.mine(of_.n) ? matrix_.at(row, own_columns) : gpu::DevicePointer<double>(),
                          matrix_.ld};
  launch_subtract_products({matrix_.at(row, later), matrix_.ld}, std::ssize(sides), own_columns - later,
                           x_.data() + later, side, right_.data(), stream_);
  stream_.wait();
  std::copy_n(right_.span().begin(), sides.size(), sides.begin());
}

Store::Block GpuStore::block(std::int64_t row, std::int64_t column, std::int64_t width) {
  launch_copy_block({matrix_.at(row, column), matrix_.ld}, width, block_.data(), stream_);
  stream_.wait();
  return {.start = block_.span().data(), .ld = width};
}

std::vector<double> GpuStore::row_sums(std::span<const double> x) {
  gpu::DeviceBuffer<double> sums(size(2 * of_.local_rows));
  gpu::set_bytes(sums.data(), 0, sums.size(), stream_);
  gpu::copy(x_.data(), gpu::HostPointer<const double>(x.data()), x.size(), stream_);
  launch_row_sums(of_, x_.data(), sums.data(), stream_);
  std::vector<double> result(sums.size());
  gpu::download<double>(result, sums, stream_);
  return result;
}

Json::Object GpuStore::conditions() const {
  Json::Object all{
      {"method", gpu::platform()}, {"device", device_.name}, {"l2_cache", static_cast<std::int64_t>(device_.l2_cache)}};
  for (std::size_t i = 0; i < span_names.size(); ++i) {
    all.emplace_back("device_" + std::string(span_names[i]) + "_seconds", spent_[i]);
  }
  const double updating = spent_[static_cast<std::size_t>(Span::update)];
  if (updating > 0.0) all.emplace_back("device_update_rate", flops_ / updating);
  return all;
}

std::vector<Verification> GpuStore::checks() const { return gpu::clock_checks(stream_); }

// -------------------------------------------------------------------------------------------------------- the backend

std::unique_ptr<Store> make_store(const Params& params, const Grid& grid, const std::vector<std::vector<int>>&) {
  return std::make_unique<GpuStore>(params, grid);
}

// On the host two panels and a block; on the device they, the matrix, rows on their way and the blocks' inverses. Rows
// that go to other ranks have slots on both.
Problem memory(const Params& params) {
  if (params.deal != "equal") throw UsageError("deal: columns of devices have equal shares", {}, "deal");
  const auto nb = static_cast<double>(params.nb);
  const std::int64_t rows = most_indices(params.nb, take_turns(static_cast<int>(params.p)), params.n);
  const std::int64_t columns = most_indices(params.nb, take_turns(static_cast<int>(params.q)), params.n + 1);
  const auto distance = static_cast<double>(distance_of(columns));
  const double panels = 2.0 * static_cast<double>(Panel::size(rows, params.nb));
  const double matrix = (static_cast<double>(rows) + nb + 1.0) * distance + 2.0 * static_cast<double>(rows);
  const double slots = params.p > 1 ? 4.0 * nb * static_cast<double>(columns) + 20.0 * nb : 0.0;
  const double u = params.p > 1 ? nb * distance : 0.0;
  const bool in_parts = params.p == 1 && params.inner > 0 && params.inner < params.nb;
  const double part = in_parts ? static_cast<double>(Panel::size(rows, params.inner)) + 3.0 * nb : 0.0;
  return {.footprint = gpu::host_footprint + 8.0 * (panels + slots + part + nb * (nb + 9.0)),
          .device_footprint = 8.0 * (matrix + panels + slots + part + u + nb * (2.0 * nb + 8.0))};
}

}  // namespace banzuke::hpl
