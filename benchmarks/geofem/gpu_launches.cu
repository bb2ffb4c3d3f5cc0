#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"

namespace banzuke::geofem {

template <class Step, class Way>
void launch_chunks(const gpu::Stream& stream, std::int64_t blocks, const OverChunks<Step, Way>& work) {
  gpu::each_block(stream, blocks, work);
}
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Forward, ManyRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Forward, SomeRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Forward, FewRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Backward, ManyRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Backward, SomeRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Backward, FewRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Product, ManyRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Product, SomeRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Product, FewRows>&);
template void launch_chunks(const gpu::Stream&, std::int64_t, const OverChunks<Outside, ManyRows>&);

template <class Work>
void launch_rows(const gpu::Stream& stream, std::int64_t n, const Work& work) {
  gpu::each_index(stream, n, work);
}
template void launch_rows(const gpu::Stream&, std::int64_t, const Fill&);
template void launch_rows(const gpu::Stream&, std::int64_t, const gpu::Pack&);

template <class Work>
void launch_blocks(const gpu::Stream& stream, std::int64_t blocks, const Work& work) {
  gpu::each_block(stream, blocks, work);
}
template void launch_blocks(const gpu::Stream&, std::int64_t, const Count&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const gpu::Summed<LoadValue>&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const gpu::Summed<gpu::StepValue>&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const gpu::Summed<CorrectedValue>&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const gpu::Finish&);

template <class Element>
void launch_elements(const gpu::Stream& stream, std::int64_t n, const Element& element) {
  gpu::each_element(stream, n, element);
}
template void launch_elements(const gpu::Stream&, std::int64_t, const gpu::Direction&);
template void launch_elements(const gpu::Stream&, std::int64_t, const Remainder&);

}  // namespace banzuke::geofem
