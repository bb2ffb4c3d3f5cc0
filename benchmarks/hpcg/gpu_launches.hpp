// Kernel launches, which only the device compiler can compile.
#pragma once

#include "core/gpu/runtime.hpp"
#include "gpu_kernels.hpp"
#include "gpu_plain_kernels.hpp"
#include "gpu_setup_kernels.hpp"

namespace banzuke::hpcg {

// Queues row(i) for from <= i < to.
template <class Row>
void launch_places(const gpu::Stream& stream, std::int64_t from, std::int64_t to, const Row& row);
// Queues row(i) for i < n.
template <class Row>
void launch_rows(const gpu::Stream& stream, std::int64_t n, const Row& row);
template <class Work>
void launch_blocks(const gpu::Stream& stream, std::int64_t blocks, const Work& work);
template <class Element>
void launch_elements(const gpu::Stream& stream, std::int64_t n, const Element& element);

// The Pack function of DeviceHalo.
inline void pack(const gpu::Stream& stream, std::int64_t n, gpu::DevicePointer<const std::int32_t> list,
                 gpu::DevicePointer<const double> x, gpu::Elements<double> out) {
  launch_rows(stream, n, Pack{list, x, out});
}

}  // namespace banzuke::hpcg
