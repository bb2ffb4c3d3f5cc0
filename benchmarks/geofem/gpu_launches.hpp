// Kernel launches, which only the device compiler can compile.
#pragma once

#include "core/gpu/runtime.hpp"
#include "gpu_kernels.hpp"
#include "gpu_setup_kernels.hpp"

namespace banzuke::geofem {

template <class Step, class Way>
void launch_chunks(const gpu::Stream& stream, std::int64_t blocks, const OverChunks<Step, Way>& work);
// Queues work(i) for i < n.
template <class Work>
void launch_rows(const gpu::Stream& stream, std::int64_t n, const Work& work);
template <class Work>
void launch_blocks(const gpu::Stream& stream, std::int64_t blocks, const Work& work);
template <class Element>
void launch_elements(const gpu::Stream& stream, std::int64_t n, const Element& element);

}  // namespace banzuke::geofem
