// A panel that the device factorises: narrow leaves by kernels, one launch for a column, and products between them. For
// one process row only.
#pragma once

#include "core/gpu/blas.hpp"
#include "gpu_launches.hpp"
#include "panel.hpp"

namespace banzuke::hpl {

class DevicePanel {
 public:
  DevicePanel(std::int64_t rows, std::int64_t nb, const gpu::Stream& stream, const gpu::Blas& blas);

  // Elements of device memory.
  static std::size_t size(std::int64_t rows, std::int64_t nb) {
    return LeafMemory::size(rows) + static_cast<std::size_t>(nb);
  }

  // `numbers`: the panel's message on the device, with the columns in its body. Afterwards it holds the factors, L1
  // included, and the panel the pivots.
  void run(Panel& panel, gpu::DevicePointer<double> numbers);

 private:
  void recurse(const Panel& panel, gpu::DevicePointer<double> body, const Columns& of);

  const gpu::Stream& stream_;
  const gpu::Blas& blas_;  // in that stream
  gpu::DeviceBuffer<double> candidates_;
  gpu::DeviceBuffer<std::int64_t> pivots_;
  gpu::PinnedBuffer<std::int64_t> pivots_here_;
};

}  // namespace banzuke::hpl
