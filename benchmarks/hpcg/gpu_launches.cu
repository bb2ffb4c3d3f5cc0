#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"

namespace banzuke::hpcg {

template <class Row>
void launch_places(const gpu::Stream& stream, std::int64_t from, std::int64_t to, const Row& row) {
  gpu::each_block(stream, (to - from + sweep_threads - 1) / sweep_threads, OverPlaces<Row>{from, to, row});
}
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const ForwardFromZero<Batch::small>&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const ForwardFromZero<Batch::large>&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const BackwardFromZero<Batch::small>&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const BackwardFromZero<Batch::large>&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const Restrict&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const Correct&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const Forward<Batch::small>&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const Forward<Batch::large>&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const Backward<Batch::small>&);
template void launch_places(const gpu::Stream&, std::int64_t, std::int64_t, const Backward<Batch::large>&);

template <class Row>
void launch_rows(const gpu::Stream& stream, std::int64_t n, const Row& row) {
  gpu::each_index(stream, n, row);
}
template void launch_rows(const gpu::Stream&, std::int64_t, const Generate&);
template void launch_rows(const gpu::Stream&, std::int64_t, const SetPlaces&);
template void launch_rows(const gpu::Stream&, std::int64_t, const SetEdges&);
template void launch_rows(const gpu::Stream&, std::int64_t, const SetSent&);
template void launch_rows(const gpu::Stream&, std::int64_t, const EdgeSums&);
template void launch_rows(const gpu::Stream&, std::int64_t, const Pack&);
template void launch_rows(const gpu::Stream&, std::int64_t, const SetFineRows&);
template void launch_rows(const gpu::Stream&, std::int64_t, const SetCoarsePlaces&);
template void launch_rows(const gpu::Stream&, std::int64_t, const ToPlaces&);
template void launch_rows(const gpu::Stream&, std::int64_t, const ToRows&);
template void launch_rows(const gpu::Stream&, std::int64_t, const PlainRelax&);
template void launch_rows(const gpu::Stream&, std::int64_t, const CheckLevels&);
template void launch_rows(const gpu::Stream&, std::int64_t, const PlainProduct&);
template void launch_rows(const gpu::Stream&, std::int64_t, const PlainRestrict&);
template void launch_rows(const gpu::Stream&, std::int64_t, const PlainCorrect&);

template <class Work>
void launch_blocks(const gpu::Stream& stream, std::int64_t blocks, const Work& work) {
  gpu::each_block(stream, blocks, work);
}
template void launch_blocks(const gpu::Stream&, std::int64_t, const Count&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const Fill&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const Product&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const Summed<DotValue>&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const Summed<StepValue>&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const Summed<EdgeValue>&);
template void launch_blocks(const gpu::Stream&, std::int64_t, const Finish&);

template <class Element>
void launch_elements(const gpu::Stream& stream, std::int64_t n, const Element& element) {
  gpu::each_element(stream, n, element);
}
template void launch_elements(const gpu::Stream&, std::int64_t, const Direction&);
template void launch_elements(const gpu::Stream&, std::int64_t, const Difference&);

}  // namespace banzuke::hpcg
