#include "gpu_device_panel.hpp"

#include "gpu_panel.hpp"

namespace banzuke::hpl {

DevicePanel::DevicePanel(std::int64_t rows, std::int64_t nb, const gpu::Stream& stream, const gpu::Blas& blas)
    : stream_(stream),
      blas_(blas),
      candidates_(LeafMemory::size(rows)),
      pivots_(static_cast<std::size_t>(nb)),
      pivots_here_(static_cast<std::size_t>(nb)) {}

void DevicePanel::run(Panel& panel, gpu::DevicePointer<double> numbers) {
  const auto body = numbers + (panel.body() - panel.message().data());
  recurse(panel, body, {.begin = 0, .end = panel.width()});
  // L1 by rows; U is above the diagonal, L below.
  launch_transpose({body, panel.ld()}, panel.width(), panel.width(), numbers + (panel.l1() - panel.message().data()),
                   panel.width(), stream_);
  gpu::copy(pivots_here_.data(), pivots_.data(), static_cast<std::size_t>(panel.width()), stream_);
  stream_.wait();
  for (std::int64_t i = 0; i < panel.width(); ++i) {
    panel.set_pivot(i, panel.first() + pivots_here_.span()[static_cast<std::size_t>(i)]);
  }
}

// By halves of whole leaves, so that nearly all work is products.
void DevicePanel::recurse(const Panel& panel, gpu::DevicePointer<double> body, const Columns& of) {
  const std::int64_t leaves = (of.end - of.begin + leaf_width - 1) / leaf_width;
  if (leaves == 1) {
    launch_leaf(body, panel.ld(), panel.rows(), panel.width(), of, {candidates_.data(), pivots_.data()}, stream_);
    return;
  }
  const std::int64_t middle = of.begin + leaves / 2 * leaf_width;
  recurse(panel, body, {.begin = of.begin, .end = middle});
  update_columns(blas_, panel, body, {.begin = of.begin, .end = middle}, {.begin = middle, .end = of.end});
  recurse(panel, body, {.begin = middle, .end = of.end});
}

}  // namespace banzuke::hpl
