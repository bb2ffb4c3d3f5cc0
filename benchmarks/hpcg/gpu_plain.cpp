#include "gpu_plain.hpp"

#include <span>
#include <string>
#include <utility>

#include "core/domain.hpp"
#include "gpu_launches.hpp"

namespace banzuke::hpcg {
namespace {

// Returns the number of levels of rows. A row's level is higher than that of all earlier rows that it depends on in
// Gauss-Seidel, so the rows of a level are independent.
std::int64_t levels_of(const Triple& size) { return size[0] + 2 * size[1] + 4 * size[2] - 6; }

PartView part_of(const Grid& grid, const Domain& domain) {
  const Triple begin = domain.position(0);
  PartView out{.box = view(grid.size), .whole = view(domain.whole()), .begin = view(begin), .first = {}};
  for (std::int64_t direction = 0; direction < 27; ++direction) {
    const Triple step{direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
    Triple corner = begin;  // first point of the neighbour in this direction
    bool exists = true;
    for (std::size_t d = 0; d < 3; ++d) {
      corner[d] += step[d] < 0 ? -1 : step[d] > 0 ? grid.size[d] : 0;
      exists = exists && corner[d] >= 0 && corner[d] < domain.whole()[d];
    }
    if (exists) out.first[direction] = static_cast<std::int32_t>(domain.index(corner));
  }
  return out;
}

}  // namespace

void Conflicts::check(const std::string& what) const {
  double found = 0.0;
  gpu::download(std::span(&found, 1), count_, stream_);
  if (found > 0.0) throw gpu::Error(what);
}

PlainLevel::PlainLevel(const Grid& grid, const gpu::Stream& stream)
    : size(grid.size),
      column(index((rows() + chunk_rows - 1) / chunk_rows * chunk_rows * width)),
      value(column.size()),
      b(index(rows())) {
  const Domain domain = grid.domain();
  neighbours = domain.neighbours();
  external = domain.external();
  launch_rows(stream, rows(), Generate{part_of(grid, domain), column.data(), value.data(), b.data()});
}

PlainCycle::Order PlainCycle::order_of(const Triple& size, const gpu::Stream& stream) {
  const auto& [nx, ny, nz] = size;
  std::vector<std::int64_t> begin(index(levels_of(size)) + 1);
  const auto for_each_line = [&, ny = ny, nz = nz](const auto& action) {
    for (std::int64_t z = 0; z < nz; ++z) {
      for (std::int64_t y = 0; y < ny; ++y) action(y, z);
    }
  };
  for_each_line([&, nx = nx](std::int64_t y, std::int64_t z) {
    for (std::int64_t x = 0; x < nx; ++x) ++begin[index(x + 2 * y + 4 * z + 1)];
  });
  for (std::size_t level = 1; level < begin.size(); ++level) begin[level] += begin[level - 1];
  std::vector<std::int32_t> rows(index(nx * ny * nz));
  auto next = begin;
  for_each_line([&, nx = nx, ny = ny](std::int64_t y, std::int64_t z) {
    for (std::int64_t x = 0; x < nx; ++x) {
      rows[index(next[index(x + 2 * y + 4 * z)]++)] = static_cast<std::int32_t>(x + nx * (y + ny * z));
    }
  });
  Order out{.begin = std::move(begin), .rows = gpu::DeviceBuffer<std::int32_t>(rows.size())};
  gpu::upload(out.rows, std::span<const std::int32_t>(rows), stream);
  return out;
}

PlainCycle::PlainCycle(const SubCommunicator& ranks, std::deque<PlainLevel>& levels,
                       const std::deque<gpu::DeviceBuffer<std::int32_t>>& fine_rows, const gpu::Stream& stream)
    : levels_(levels), fine_rows_(fine_rows), stream_(stream) {
  for (const auto& level : levels_) {
    Conflicts conflicts(stream_);
    launch_rows(stream_, level.rows(), CheckLevels{view(level.size), level.matrix(), conflicts.data()});
    conflicts.check("the reference's order of rows contradicts the matrix");
    orders_.push_back(order_of(level.size, stream_));
    const auto sent = gpu::rows_to_send(level.neighbours);
    halos_.emplace_back(ranks, level.neighbours, 1, gpu::on_device(sent, stream_), level.rows(), stream_, pack);
    const bool finest = rights_.empty();
    rights_.emplace_back(finest ? 0 : index(level.rows()));
    answers_.emplace_back(finest ? 0 : index(level.columns()));
  }
}

void PlainCycle::relax(std::size_t level, std::size_t stage, gpu::DevicePointer<double> r,
                       gpu::DevicePointer<double> x) {
  const Order& order = orders_[level];
  launch_rows(stream_, order.begin[stage + 1] - order.begin[stage],
              PlainRelax{levels_[level].matrix(), order.rows.data() + order.begin[stage], r, x});
}

void PlainCycle::precondition(std::size_t level, gpu::DevicePointer<double> r, gpu::DevicePointer<double> z) {
  const auto smooth = [&] {
    const std::size_t stages = orders_[level].begin.size() - 1;
    for (std::size_t stage = 0; stage < stages; ++stage) relax(level, stage, r, z);
    for (std::size_t stage = stages; stage-- > 0;) relax(level, stage, r, z);
  };
  gpu::set_bytes(z, 0, index(levels_[level].columns()), stream_);
  smooth();
  if (level + 1 == levels_.size()) return;
  const auto& fine = fine_rows_[level];
  const std::int64_t coarse = levels_[level + 1].rows();
  const auto right = rights_[level + 1].data();
  const auto answer = answers_[level + 1].data();
  exchange(level, z);
  launch_rows(stream_, coarse, PlainRestrict{levels_[level].matrix(), fine.data(), r, z, right});
  precondition(level + 1, right, answer);
  launch_rows(stream_, coarse, PlainCorrect{fine.data(), answer, z});
  exchange(level, z);
  smooth();
}

Plain::Impl::Impl(const SubCommunicator& all, const Grid& grid) : ranks(all) {
  for (Grid at = grid; levels.size() < hpcg::levels; at = at.coarser()) {
    levels.emplace_back(at, stream);
    if (levels.size() == 1) continue;
    const std::int64_t rows = levels.back().rows();
    fine_rows.emplace_back(index(rows));
    launch_rows(stream, rows,
                SetFineRows{view(levels[levels.size() - 2].size), view(at.size), fine_rows.back().data()});
  }
  stream.wait();
}

Method Plain::Impl::method() {
  if (!cycle) {
    cycle = std::make_unique<PlainCycle>(ranks, levels, fine_rows, stream);
    cg = std::make_unique<Cg>(ranks, levels[0].rows(), levels[0].external, 0, stream);
    gpu::copy(cg->b(), gpu::DevicePointer<const double>(levels[0].b.data()), levels[0].b.size(), stream);
  }
  return {.multiply =
              [this](auto x, auto y, auto /*sums*/) {
                cycle->exchange(0, x);
                launch_rows(stream, levels[0].rows(), PlainProduct{levels[0].matrix(), x, y});
                return 0;
              },
          .precondition = [this](auto r, auto z) { cycle->precondition(0, r, z); }};
}

Plain::Plain(const SubCommunicator& ranks, const Grid& grid) : impl_(make_hidden<Impl>(ranks, grid)) {}

std::vector<double> Plain::right_side() const {
  std::vector<double> out(impl_->levels[0].b.size());
  gpu::download(std::span(out), impl_->levels[0].b, impl_->stream);
  return out;
}

void Plain::call(int times) {
  const Method method = impl_->method();
  Cg& cg = *impl_->cg;
  for (int call = 0; call < times; ++call) {
    method.multiply(cg.p(), cg.r(), {});
    method.precondition(cg.r(), cg.z());
  }
  impl_->stream.wait();
}

Convergence Plain::solve(std::int64_t iterations, const std::function<void(std::int64_t)>& report) {
  const Method method = impl_->method();
  return impl_->cg->solve(method, iterations, 0.0, report);
}

double Plain::error() const {
  std::vector<double> x(impl_->levels[0].b.size());
  gpu::copy(gpu::HostPointer<double>(x.data()), gpu::DevicePointer<const double>(impl_->cg->x()), x.size(),
            impl_->stream);
  impl_->stream.wait();
  return largest_error(x);
}

}  // namespace banzuke::hpcg
