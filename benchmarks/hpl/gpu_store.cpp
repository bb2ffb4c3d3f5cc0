#include "gpu_store.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/device_messages.hpp"
#include "core/gpu/timing.hpp"
#include "deal.hpp"
#include "swap.hpp"

namespace banzuke::hpl {
namespace {

// Rows of one product: its elements are fewer than 2^31 whatever their distance.
constexpr std::int64_t most_rows = 4096;

// The library's products are fastest where all extents are whole lines; beyond the last column there are zeros.
constexpr std::int64_t whole(std::int64_t columns) { return (columns + 7) / 8 * 8; }

std::vector<std::int64_t> firsts_of_blocks(const Cyclic& columns, std::int64_t local_columns) {
  std::vector<std::int64_t> firsts;
  for (std::int64_t j = 0; j < local_columns; j += columns.block) firsts.push_back(columns.global(j));
  return firsts;
}

}  // namespace

GpuStore::Sides::Sides(std::int64_t rows, std::int64_t nb)
    : memory(Panel::size(rows, nb)),
      panel(memory.span()),
      numbers(memory.size()),
      moves_memory(size(4 * nb)),
      moves(moves_memory.size()),
      inverse(size(nb * nb)) {}

GpuStore::GpuStore(const Params& params, const Grid& grid)
    : of_(grid, params.n, params.nb, column_turns(params)),
      nb_(params.nb),
      how_(streaming_on(params, device_.memory)),
      numbers_(size(of_.local_rows * distance_of(of_.local_columns - how_.columns))),
      rest_{.begin = how_.columns,
            .end = of_.local_columns,
            .matrix = {numbers_.data(), distance_of(of_.local_columns - how_.columns)}},
      rows_(size(params.nb * std::max(rest_.matrix.ld, distance_of(how_.slab)))),
      x_(size(of_.ld)),
      blocks_(gpu::on_device(firsts_of_blocks(of_.columns, of_.local_columns), stream_)),
      block_(size(params.nb * params.nb)),
      right_(size(params.nb)),
      sides_{Sides(of_.local_rows, params.nb), Sides(of_.local_rows, params.nb)},
      panel_(params.panel),
      panels_on_device_(params.panel == "device"),
      direct_(params.messages == "device" && grid.columns > 1),
      u_(grid.rows > 1 ? rows_.size() : 0) {
  if (direct_) require_device_messages(gpu::platform(), "messages=device");
  if (grid.rows == 1 && panel_ != "host") device_panel_.emplace(of_.local_rows, params.nb, copies_, panel_blas_);
  if (grid.rows == 1 && params.inner > 0 && params.inner < params.nb) {
    parts_.emplace(of_.local_rows, params.inner, copies_, panel_blas_);
  }
  if (how_.columns > 0) {
    slabs_ = std::make_unique<Slabs>(params, of_, how_, stream_, [this](const Factors& panel, const Area& slab) {
      spans_.end(Span::wait, stream_);
      apply(panel, slab, slab.begin, slab.end);
    });
  }
  if (grid.rows == 1) return;
  for (auto& exchange : exchanges_) {
    exchange =
        std::make_unique<GpuRows>(grid, of_, rest_.matrix, params.nb, swap_kind(params.swap), params.swap_threshold);
  }
}

void GpuStore::generate() {
  if (slabs_) slabs_->generate(blocks_.data());
  launch_generate(of_, blocks_.data(), rest_.begin, rest_.end, rest_.matrix, stream_);
  stream_.wait();
}

void GpuStore::fill(const std::function<double(std::int64_t, std::int64_t)>& element) {
  std::vector<double> row(size(rest_.begin + rest_.matrix.ld));
  for (std::int64_t i = 0; i < of_.local_rows; ++i) {
    for (std::int64_t j = 0; j < of_.local_columns; ++j) {
      row[size(j)] = element(of_.rows.global(i), of_.columns.global(j));
    }
    if (slabs_) slabs_->fill_row(i, row);
    gpu::copy(rest_.matrix.at(i, 0), gpu::HostPointer<double>(row.data() + rest_.begin), size(rest_.matrix.ld),
              stream_);
    stream_.wait();
  }
  if (slabs_) slabs_->begin();
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
  gather(of);
  spans_.end(Span::move, stream_);
  copy_to_host(of);
}

// Copies its columns out of the matrix, still on the device.
void GpuStore::gather(Sides& of) {
  const Panel& panel = of.panel;
  const Area in = area(of_.columns.before(panel.first()));
  const DeviceMatrix from{in.at(of_.rows.before(panel.first()), of_.columns.before(panel.first())), in.matrix.ld};
  if (slabs_) stream_.after(of.stored);
  launch_transpose(from, panel.rows(), panel.width(), on_device(of, panel.body()), panel.ld(), stream_);
  of.gathered.record(stream_);
}

// If the host factorises it as a whole.
void GpuStore::copy_to_host(Sides& of) {
  copies_.after(of.gathered);
  if (parts_ || panels_on_device_) return;
  const Panel& panel = of.panel;
  gpu::copy(gpu::PinnedPointer<double>(of.panel.body()), on_device(of, panel.body()), size(panel.ld() * panel.width()),
            copies_);
  of.fetched.record(copies_);
}

void GpuStore::factorise(Panel& panel, PanelFactorization& factorization, Profile& profile) {
  Sides& of = sides(panel);
  of.gathered.wait();
  profile.lap(Part::update);
  of.on_device = parts_ || panels_on_device_;
  if (of.on_device) {
    if (device_panel_ && panels_on_device_) {
      device_panel_->run(panel, of.numbers.data());
      profile.lap(Part::panel);
    } else if (parts_) {
      parts_->run(panel, of.numbers.data(), factorization, profile);
    }
    // The host needs L1, and the rest where others get it from there.
    const double* l1 = panel.l1();
    const bool alone = of_.columns.ranks == 1 || direct_;
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

std::span<double> GpuStore::message(Panel& panel) {
  const auto all = panel.message();
  if (!direct_) return all;
  Sides& of = sides(panel);
  of.used.wait();  // its last content
  if (of_.columns.mine(panel.first())) {
    const auto here = of.on_device ? all.first(size(panel.width())) : all;
    gpu::copy(of.numbers.data(), gpu::PinnedPointer<double>(here.data()), here.size(), copies_);
    copies_.wait();
  }
  of.on_device = true;
  return {of.numbers.data().address(), all.size()};
}

void GpuStore::arrived(Panel& panel) {
  if (!direct_ || of_.columns.mine(panel.first())) return;
  const auto head = panel.message().first(size(panel.width() * (panel.width() + 1)));
  gpu::copy(gpu::PinnedPointer<double>(head.data()), sides(panel).numbers.data(), head.size(), copies_);
  copies_.wait();
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
  const Area in = area(of_.columns.before(panel.first()));
  const DeviceMatrix diagonal{
      here ? in.at(of_.rows.before(panel.first()), of_.columns.before(panel.first())) : gpu::DevicePointer<double>(),
      in.matrix.ld};
  launch_open_block(on_device(of, l1), panel.width(), diagonal, of.inverse.data(), copies_);
  panel_blas_.solve_unit_upper(panel.width(), panel.width(), on_device(of, l1), panel.width(), of.inverse.data(),
                               panel.width());
  of.taken.record(copies_);
  if (panel.first() < how_.columns) slabs_->keep(factors(of), of.moves_memory.span(), of.taken, of.stored);

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

Factors GpuStore::factors(Sides& of) {
  return {.first = of.panel.first(),
          .width = of.panel.width(),
          .inverse = of.inverse.data(),
          .body = on_device(of, of.panel.body()),
          .ld = of.panel.ld(),
          .moves = of.moves.data(),
          .displaced = of.displaced};
}

// Up to the next whole line if `end` is the area's last column.
std::int64_t GpuStore::columns_of(const Area& area, std::int64_t begin, std::int64_t end) const {
  return (end == of_.local_columns ? whole(end - area.begin) + area.begin : end) - begin;
}

DeviceMatrix GpuStore::brought(const Area& area, std::int64_t begin) {
  return {rows_.data() + (begin - area.begin), area.matrix.ld};
}

// The rows that become U, and those that they displace.
void GpuStore::bring_rows(const Factors& panel, const Area& area, std::int64_t begin, std::int64_t end) {
  const std::int64_t columns = columns_of(area, begin, end);
  const DeviceMatrix matrix{area.at(0, begin), area.matrix.ld};
  const auto list = panel.moves;
  launch_copy_rows(matrix, brought(area, begin), {list, list + nb_, panel.width}, columns, stream_);
  launch_copy_rows(matrix, matrix, {list + 2 * nb_, list + 3 * nb_, panel.displaced}, columns, stream_);
}

void GpuStore::solve_and_subtract(const Factors& panel, const Area& area, const DeviceMatrix& u, std::int64_t begin,
                                  std::int64_t end) {
  const std::int64_t columns = columns_of(area, begin, end);
  const std::int64_t above = of_.rows.before(panel.first);
  const std::int64_t below = of_.rows.before(panel.first + panel.width);
  spans_.end(Span::move, stream_);
  const DeviceMatrix rows = brought(area, begin);
  blas_.dgemm(columns, panel.width, panel.width, 1.0, rows.start, rows.ld, panel.inverse, panel.width, 0.0, u.start,
              u.ld);
  spans_.end(Span::solve, stream_);
  for (std::int64_t row = below; row < of_.local_rows; row += most_rows) {
    const std::int64_t count = std::min(most_rows, of_.local_rows - row);
    blas_.dgemm(columns, count, panel.width, -1.0, u.start, u.ld, panel.body + (row - above), panel.ld, 1.0,
                area.at(row, begin), area.matrix.ld, gpu::Transpose::yes);
    flops_ += 2.0 * static_cast<double>(columns * count) * static_cast<double>(panel.width);
  }
  spans_.end(Span::update, stream_);
}

// With one process row.
void GpuStore::apply(const Factors& panel, const Area& area, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  bring_rows(panel, area, begin, end);
  solve_and_subtract(panel, area, {area.at(of_.rows.before(panel.first), begin), area.matrix.ld}, begin, end);
}

double GpuStore::update(const Panel& panel, int part, std::int64_t begin, std::int64_t end, int,
                        const std::function<void()>& poll) {
  Sides& of = sides(panel);
  const Factors from = factors(of);
  if (GpuRows* const rows = exchange(part)) {
    rows->place(begin, end - begin, brought(rest_, begin), stream_);
    DeviceMatrix u{u_.data() + begin, of_.ld};
    if (rows->has_diagonal()) u = {rest_.at(of_.rows.before(panel.first()), begin), of_.ld};
    solve_and_subtract(from, rest_, u, begin, end);
  } else {
    if (begin < rest_.begin) {
      slabs_->enter(from);
      const Area slab = slabs_->area(begin);
      if (slab.begin <= panel.first()) apply(from, slab, begin, std::min(end, slab.end));  // else done on entering it
    }
    apply(from, rest_, std::max(begin, rest_.begin), end);
    if (slabs_ && end == of_.local_columns) slabs_->work_ahead(from);
  }
  of.used.record(stream_);
  poll();
  return 0.0;
}

// The device's time: what it did, and where it had nothing to do, what the main thread did meanwhile.
void GpuStore::finish(Profile& profile) {
  stream_.wait();
  if (slabs_) slabs_->finish();
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
    part(Part::transfer) += of(Span::wait);
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
  if (later >= rest_.begin) {
    const auto fresh = x.subspan(size(later), size(std::min(nb_ * of_.rows.ranks, own_columns - later)));
    gpu::copy(x_.data() + later, gpu::HostPointer<const double>(fresh.data()), fresh.size(), stream_);
  }
  const std::int64_t from = std::max(later, rest_.begin);
  const DeviceMatrix side{of_.columns.mine(of_.n) ? rest_.at(row, own_columns) : gpu::DevicePointer<double>(),
                          rest_.matrix.ld};
  launch_subtract_products({rest_.at(row, from), rest_.matrix.ld}, std::ssize(sides), own_columns - from,
                           x_.data() + from, side, right_.data(), stream_);
  stream_.wait();
  std::copy_n(right_.span().begin(), sides.size(), sides.begin());
  if (slabs_) slabs_->subtract_solved(row, later, x, sides);
}

Store::Block GpuStore::block(std::int64_t row, std::int64_t column, std::int64_t width) {
  if (column < rest_.begin) return {.start = slabs_->at(row, column), .ld = slabs_->ld()};
  launch_copy_block({rest_.at(row, column), rest_.matrix.ld}, width, block_.data(), stream_);
  stream_.wait();
  return {.start = block_.span().data(), .ld = width};
}

std::vector<double> GpuStore::row_sums(std::span<const double> x) {
  gpu::DeviceBuffer<double> sums(size(2 * of_.local_rows));
  gpu::set_bytes(sums.data(), 0, sums.size(), stream_);
  gpu::copy(x_.data(), gpu::HostPointer<const double>(x.data()), x.size(), stream_);
  launch_row_sums(of_, blocks_.data(), x_.data(), sums.data(), stream_);
  std::vector<double> result(sums.size());
  gpu::download<double>(result, sums, stream_);
  return result;
}

Json::Object GpuStore::conditions() const {
  Json::Object all{
      {"method", gpu::platform()}, {"device", device_.name}, {"l2_cache", static_cast<std::int64_t>(device_.l2_cache)}};
  if (device_panel_) all.emplace_back("panel_on", panels_on_device_ ? "device" : "host");
  if (probed_[0] > 0.0) {
    all.emplace_back("panel_host_probe_seconds", probed_[0]);
    all.emplace_back("panel_device_probe_seconds", probed_[1]);
  }
  const double updating = spent_[static_cast<std::size_t>(Span::update)];
  if (updating > 0.0) all.emplace_back("device_update_rate", flops_ / updating);
  if (slabs_) {
    const auto streamed = slabs_->conditions();
    all.insert(all.end(), streamed.begin(), streamed.end());
  }
  return all;
}

std::vector<double> GpuStore::device_seconds() const { return {spent_.begin(), spent_.end()}; }

std::vector<Verification> GpuStore::checks() const { return gpu::clock_checks(stream_); }

// -------------------------------------------------------------------------------------------------------- the backend

std::unique_ptr<Store> make_store(const Params& params, const Grid& grid, const std::vector<std::vector<int>>&) {
  return std::make_unique<GpuStore>(params, grid);
}

}  // namespace banzuke::hpl
