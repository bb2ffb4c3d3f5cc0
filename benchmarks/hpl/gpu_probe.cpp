// Where panels are factorised, by a probe.
#include <algorithm>

#include "core/clock.hpp"
#include "gpu_store.hpp"

namespace banzuke::hpl {

// Twice each, because the first launch of a kernel loads it.
void GpuStore::prepare(PanelFactorization& factorization) {
  if (panel_ != "auto" || !device_panel_ || of_.local_columns == 0) return;
  const std::int64_t first = of_.columns.global(0);
  if (first >= of_.n) return;
  Panel& panel = sides_.front().panel;
  panel.shape(first, std::min(nb_, of_.n - first), of_.local_rows - of_.rows.before(first));
  for (const bool on_device : {false, true, false, true}) {
    panels_on_device_ = on_device;
    probed_[on_device ? 1 : 0] = probe(panel, factorization);
  }
  panels_on_device_ = probed_[1] < probed_[0];
}

// Seconds until a panel is factorised and its factors are on the device, while that multiplies as in the update.
double GpuStore::probe(Panel& panel, PanelFactorization& factorization) {
  constexpr int products = 16;
  Sides& of = sides(panel);
  gather(of);
  copy_to_host(of);
  stream_.wait();
  copies_.wait();
  const std::int64_t columns = of_.local_columns - rest_.begin;
  for (int i = 0; i < products; ++i) {
    blas_.dgemm(columns, std::min(nb_, of_.local_rows), std::min({nb_, of_.local_rows, columns}), 1.0,
                rest_.matrix.start, rest_.matrix.ld, rest_.matrix.start, rest_.matrix.ld, 0.0, rows_.data(),
                rest_.matrix.ld);
  }
  Profile profile;
  const double start = now();
  factorise(panel, factorization, profile);
  if (!of.on_device) {
    gpu::copy(on_device(of, panel.l1()), gpu::PinnedPointer<const double>(panel.l1()),
              panel.message().size() - size(panel.width()), copies_);
  }
  copies_.wait();
  const double seconds = now() - start;
  of.on_device = false;
  stream_.wait();
  return seconds;
}

}  // namespace banzuke::hpl
