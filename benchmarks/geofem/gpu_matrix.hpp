// A rank's rows of A in device memory, and operations on them. The matrix is generated on the device; the host orders
// the nodes and generates the rows that need other ranks' values.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/domain.hpp"
#include "core/gpu/halo.hpp"
#include "core/gpu/runtime.hpp"
#include "gpu_launches.hpp"
#include "schedule.hpp"

namespace banzuke::geofem {

// Blocks of rows, for BlocksView.
struct DeviceBlocks {
  // `starts`: the first slot of each chunk, and the end.
  DeviceBlocks(const std::vector<std::int32_t>& starts, const gpu::Stream& stream)
      : slots(starts.back()),
        start(gpu::on_device(starts, stream)),
        value(static_cast<std::size_t>(slots * 9 * chunk_rows)),
        column(static_cast<std::size_t>(slots * chunk_rows)) {
    gpu::set_bytes(column.data(), 0, column.size(), stream);  // so that every address is valid even if a kernel is lost
  }

  BlocksView view() const { return {start.data(), value.data(), column.data()}; }
  BlocksMade made() { return {std::as_const(start).data(), value.data(), column.data()}; }

  std::int64_t slots;
  gpu::DeviceBuffer<std::int32_t> start;
  gpu::DeviceBuffer<double> value;
  gpu::DeviceBuffer<std::int32_t> column;
};

class DeviceMatrix {
 public:
  // `schedule`: for one thread, with chunks of `chunk_rows`.
  DeviceMatrix(const SubCommunicator& ranks, const Domain& domain, const Schedule& schedule,
               const gpu::DeviceInfo& device, const gpu::Stream& stream);

  std::int64_t rows() const { return first_.back() * chunk_rows; }
  std::int64_t elements() const { return 3 * rows() + halo_->external(); }  // of a vector with external rows
  std::int64_t most_sums() const;                                           // most sums of a sweep or a product
  double fill() const { return fill_; }
  double bytes() const;
  Assembling assembling() const;

  // left = M^-1 right; sums right left for each thread block. Returns the number of sums.
  std::int64_t sweep(gpu::DevicePointer<const double> right, gpu::DevicePointer<double> left,
                     gpu::DevicePointer<double> sums);
  // y = A x; sums x y for each thread block. Receives the external elements of x meanwhile.
  std::int64_t multiply(gpu::DevicePointer<double> x, gpu::DevicePointer<double> y, gpu::DevicePointer<double> sums);
  void exchange(gpu::DevicePointer<double> x) { halo_->exchange(x); }

 private:
  struct Outer {
    Outer(const std::vector<std::int32_t>& starts, const std::vector<std::int32_t>& places, const gpu::Stream& stream)
        : blocks(starts, stream), place(gpu::on_device(places, stream)) {}

    OuterView view() const { return {blocks.view(), place.data()}; }

    DeviceBlocks blocks;
    gpu::DeviceBuffer<std::int32_t> place;
  };

  void store(const gpu::Stream& stream);
  void store_outer(const Domain& domain, const Schedule& schedule);
  std::int64_t stages() const { return static_cast<std::int64_t>(first_.size()) - 1; }
  std::int64_t chunks_of(std::int64_t stage) const {
    return first_[static_cast<std::size_t>(stage + 1)] - first_[static_cast<std::size_t>(stage)];
  }
  Chunks of_stage(std::int64_t stage) const;
  Chunks of_product() const;
  RowsView view() const { return {lower_->view(), upper_->view(), diagonal_.data()}; }
  template <class Way, class Step>
  std::int64_t queue(const Chunks& chunks, std::int64_t number, const Step& step, gpu::DevicePointer<double> sums);
  // Calls queue() with the kernel that suits the number of chunks.
  template <class Step>
  std::int64_t queue_suitably(const Chunks& chunks, std::int64_t number, const Step& step,
                              gpu::DevicePointer<double> sums);

  const gpu::Stream& stream_;
  std::int64_t enough_;              // rows that keep the device busy with one thread each
  std::vector<std::int64_t> first_;  // first chunk of each stage, and the end
  bool in_turns_ = false;            // stages are few and equal
  std::int64_t longest_ = 0;         // chunks of a stage
  BoxView box_;
  gpu::DeviceBuffer<std::int64_t> first_here_;
  gpu::DeviceBuffer<double> stencil_;
  gpu::DeviceBuffer<std::int32_t> node_, row_, stage_;
  gpu::DeviceBuffer<double> diagonal_, factor_;
  std::unique_ptr<DeviceBlocks> lower_, upper_;
  std::unique_ptr<Outer> outer_;
  std::unique_ptr<gpu::DeviceHalo> halo_;
  double fill_ = 0.0;
};

}  // namespace banzuke::geofem
