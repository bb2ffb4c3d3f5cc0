#include "gpu_panel.hpp"

#include <algorithm>

#include "swap.hpp"

namespace banzuke::hpl {

GpuPanel::GpuPanel(std::int64_t rows, std::int64_t inner, const gpu::Stream& stream, const gpu::Blas& blas)
    : inner_(inner),
      stream_(stream),
      blas_(blas),
      memory_(Panel::size(rows, inner)),
      part_(memory_.span()),
      numbers_(memory_.size()),
      moves_memory_(static_cast<std::size_t>(3 * inner)),
      moves_(moves_memory_.size()) {}

void GpuPanel::run(Panel& panel, gpu::DevicePointer<double> numbers, PanelFactorization& factorization,
                   Profile& profile) {
  const auto body = numbers + (panel.body() - panel.message().data());
  download(panel, body, 0);
  for (std::int64_t column = 0; column < panel.width();) {
    arrived_.wait();
    profile.lap(Part::transfer);
    factorization.run(part_);
    for (std::int64_t i = 0; i < part_.width(); ++i) panel.set_pivot(column + i, part_.pivot(i));
    profile.lap(Part::panel);
    upload(panel, body, column);
    const Columns done{.begin = column, .end = column + part_.width()};
    // The next part's columns first, so that the others are updated while it is factorised.
    column = done.end;
    const std::int64_t ahead = std::min(column + inner_, panel.width());
    if (column == panel.width()) break;
    update_columns(blas_, panel, body, done, {.begin = column, .end = ahead});
    download(panel, body, column);
    update_columns(blas_, panel, body, done, {.begin = ahead, .end = panel.width()});
  }
  // L1 by rows; what is above the parts' diagonal blocks is U, below them L.
  launch_transpose({body, panel.ld()}, panel.width(), panel.width(), numbers + (panel.l1() - panel.message().data()),
                   panel.width(), stream_);
}

void GpuPanel::download(const Panel& panel, gpu::DevicePointer<double> body, std::int64_t column) {
  part_.shape(panel.first() + column, std::min(inner_, panel.width() - column), panel.rows() - column);
  launch_copy_columns(body + (column * panel.ld() + column), panel.ld(), part_.rows(), part_.width(),
                      on_device(part_.body()), part_.ld(), stream_);
  gpu::copy(gpu::PinnedPointer<double>(part_.body()), on_device(part_.body()),
            static_cast<std::size_t>(part_.ld() * part_.width()), stream_);
  arrived_.record(stream_);
}

// The factors, and what the interchanges do in the panel's other columns.
void GpuPanel::upload(const Panel& panel, gpu::DevicePointer<double> body, std::int64_t column) {
  const RowMoves moves(part_);
  const std::int64_t width = part_.width();
  const auto list = moves_memory_.span();
  for (std::size_t i = 0; i < moves.sources.size(); ++i) list[i] = moves.sources[i] - panel.first();
  for (std::size_t i = 0; i < moves.displaced.size(); ++i) {
    list[static_cast<std::size_t>(inner_) + i] = moves.displaced[i].row - panel.first();
    list[static_cast<std::size_t>(2 * inner_) + i] = moves.displaced[i].to - panel.first();
  }
  gpu::copy(moves_.data(), moves_memory_.data(), moves_.size(), stream_);
  const auto message = part_.message();
  gpu::copy(numbers_.data(), gpu::PinnedPointer<double>(message.data()), message.size(), stream_);
  launch_interchange(body, panel.ld(), panel.width(), {.begin = column, .end = column + width},
                     {.sources = moves_.data(),
                      .displaced = {moves_.data() + inner_, moves_.data() + 2 * inner_, std::ssize(moves.displaced)}},
                     stream_);
  launch_transpose({on_device(part_.l1()), width}, width, width, body + (column * panel.ld() + column), panel.ld(),
                   stream_);
  launch_copy_columns(on_device(part_.body()) + width, part_.ld(), part_.rows() - width, width,
                      body + (column * panel.ld() + column + width), panel.ld(), stream_);
}

void update_columns(const gpu::Blas& blas, const Panel& panel, gpu::DevicePointer<double> body, const Columns& done,
                    const Columns& others) {
  const std::int64_t width = done.end - done.begin;
  const std::int64_t columns = others.end - others.begin;
  if (columns == 0) return;
  const auto l = body + (done.begin * panel.ld() + done.begin);
  const auto u = body + (others.begin * panel.ld() + done.begin);
  blas.solve_unit_lower(width, columns, l, panel.ld(), u, panel.ld());
  blas.dgemm(panel.rows() - done.end, columns, width, -1.0, l + width, panel.ld(), u, panel.ld(), 1.0, u + width,
             panel.ld());
}

}  // namespace banzuke::hpl
