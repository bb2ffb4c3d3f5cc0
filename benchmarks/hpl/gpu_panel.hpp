// A panel whose columns are on a device, factorised part by part: the processors factorise a part, the device updates
// the panel's other columns. For one process row only.
#pragma once

#include "core/gpu/blas.hpp"
#include "gpu_launches.hpp"
#include "panel.hpp"
#include "profile.hpp"

namespace banzuke::hpl {

// Queues what a panel's columns that are done do to others.
void update_columns(const gpu::Blas& blas, const Panel& panel, gpu::DevicePointer<double> body, const Columns& done,
                    const Columns& others);

class GpuPanel {
 public:
  // `inner`: columns at a time.
  GpuPanel(std::int64_t rows, std::int64_t inner, const gpu::Stream& stream, const gpu::Blas& blas);

  // `numbers`: the panel's message on the device, with the columns in its body. Afterwards it holds the factors,
  // including L1, and the panel holds the pivots.
  void run(Panel& panel, gpu::DevicePointer<double> numbers, PanelFactorization& factorization, Profile& profile);

 private:
  void download(const Panel& panel, gpu::DevicePointer<double> body, std::int64_t column);
  void upload(const Panel& panel, gpu::DevicePointer<double> body, std::int64_t column);
  gpu::DevicePointer<double> on_device(const double* number) {
    return numbers_.data() + (number - part_.message().data());
  }

  std::int64_t inner_;
  const gpu::Stream& stream_;
  const gpu::Blas& blas_;  // in that stream
  gpu::PinnedBuffer<double> memory_;
  Panel part_;
  gpu::DeviceBuffer<double> numbers_;  // laid out as the part's message
  gpu::PinnedBuffer<std::int64_t> moves_memory_;
  gpu::DeviceBuffer<std::int64_t> moves_;
  gpu::Event arrived_;
};

}  // namespace banzuke::hpl
