// One multigrid level on a device, stored for its kernels: rows by colour, in chunks of 32 (SELL-32), and vector
// elements in the same order. The V-cycle is that of level.hpp, with about two passes over the entries instead of five.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/gpu/halo.hpp"
#include "core/gpu/runtime.hpp"
#include "gpu_kernels.hpp"
#include "gpu_plain.hpp"

namespace banzuke::hpcg {

struct DeviceSell {
  DeviceSell(const std::vector<std::int32_t>& starts, const gpu::Stream& stream);

  SellView view() const { return {start.data(), base.data(), offset.data(), value.data()}; }
  double bytes() const { return static_cast<double>(start.bytes() + base.bytes() + offset.bytes() + value.bytes()); }

  gpu::DeviceBuffer<std::int32_t> start;
  gpu::DeviceBuffer<std::int32_t> base;
  gpu::DeviceBuffer<std::uint16_t> offset;
  gpu::DeviceBuffer<double> value;
};

// Rows that need external ones; entries in the order of the grid.
struct DeviceEdges {
  DeviceEdges(std::int64_t edges, std::int64_t places)
      : place(static_cast<std::size_t>(edges)),
        column(width * place.size()),
        value(column.size()),
        outside(edges == 0 ? 0 : static_cast<std::size_t>(places)) {}

  gpu::DeviceBuffer<std::int32_t> place;
  gpu::DeviceBuffer<std::int32_t> column;
  gpu::DeviceBuffer<double> value;
  gpu::DeviceBuffer<double> outside;
};

class DeviceLevel {
 public:
  DeviceLevel(const SubCommunicator& ranks, const PlainLevel& plain, const gpu::DeviceInfo& device,
              const gpu::Stream& stream);

  std::int64_t places() const { return first_.back(); }
  std::int64_t external() const { return halo_->external(); }  // elements after a vector's places
  std::int64_t most_sums() const;                              // for a product
  double bytes() const;
  double entries() const { return static_cast<double>(matrix_->value.size()); }
  LevelView view();

  // Sets the coarse grid's points, which are rows of the last colour here.
  void join(const DeviceLevel& coarse, const gpu::DeviceBuffer<std::int32_t>& fine_row);

  // Convert between rows and places.
  void to_places(const gpu::DeviceBuffer<double>& rows, gpu::DevicePointer<double> to, double other = 0.0) const;
  void to_rows(gpu::DevicePointer<const double> from, gpu::DeviceBuffer<double>& rows) const;
  void set_diagonal(const gpu::DeviceBuffer<double>& rows) { to_places(rows, diagonal_.data(), 1.0); }

  // y = A x; stores the sum of x y for each block. Returns their number.
  std::int64_t multiply(gpu::DevicePointer<double> x, gpu::DevicePointer<double> y, gpu::DevicePointer<double> sums);
  // x = the smoother applied to r from x = 0.
  void smooth_from_zero(gpu::DevicePointer<const double> r, gpu::DevicePointer<double> x);
  // right = (r - A x) at the coarse points, after x has been smoothed from zero.
  void restrict_residual(gpu::DevicePointer<const double> r, gpu::DevicePointer<double> x,
                         gpu::DevicePointer<double> right);
  // x += answer at the coarse points, then smooths x.
  void correct_and_smooth(gpu::DevicePointer<const double> r, gpu::DevicePointer<const double> answer,
                          gpu::DevicePointer<double> x);

 private:
  void store(const PlainLevel& plain);
  void store_edges(const SubCommunicator& ranks, const PlainLevel& plain);
  std::int64_t product_blocks() const;
  EdgeView edges() const;
  // Receives the external elements of x and computes their contribution to each row.
  void look_outside(gpu::DevicePointer<double> x);
  std::int64_t last() const { return first_[colour_count - 1]; }
  template <class Row>
  void colour(int which, const Row& row) const;
  // Queues a sweep's work on one colour, in batches that suit its size.
  template <template <Batch> class Row, class... Arguments>
  void sweep(int which, const Arguments&... arguments);

  const gpu::Stream& stream_;
  std::int64_t few_;                                  // rows of a colour that are too few to keep the device busy
  std::array<std::int64_t, colour_count + 1> first_;  // first place of each colour, and the end
  std::int64_t rows_;
  gpu::DeviceBuffer<std::int64_t> first_here_;
  gpu::DeviceBuffer<std::int32_t> place_of_;  // by row
  gpu::DeviceBuffer<std::int32_t> row_of_;    // by place; negative: padding, whose values stay 0
  gpu::DeviceBuffer<double> diagonal_, later_, known_;
  std::unique_ptr<DeviceSell> matrix_;
  // Rows with external columns, and the contribution of these to each place.
  std::unique_ptr<gpu::DeviceHalo> halo_;
  std::unique_ptr<DeviceEdges> edges_;
  std::unique_ptr<gpu::DeviceBuffer<std::int32_t>> coarse_place_;  // by place from the last colour's first
};

}  // namespace banzuke::hpcg
