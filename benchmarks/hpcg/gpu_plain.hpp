// The problem on a device, rows in the grid's order, and the reference solver. Its sweeps take the rows by dependency
// levels, which gives exactly the result of the grid's order.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/gpu/choose.hpp"
#include "core/gpu/halo.hpp"
#include "core/gpu/runtime.hpp"
#include "gpu_cg.hpp"
#include "plain.hpp"

namespace banzuke::hpcg {

inline BoxView view(const Triple& size) { return {size[0], size[1], size[2]}; }

// Counts, made in kernels, of what must not occur.
class Conflicts {
 public:
  explicit Conflicts(const gpu::Stream& stream) : stream_(stream) { gpu::set_bytes(count_.data(), 0, 1, stream); }

  gpu::DevicePointer<double> data() { return count_.data(); }
  // Throws gpu::Error with `what` if anything was counted.
  void check(const std::string& what) const;

 private:
  const gpu::Stream& stream_;
  gpu::DeviceBuffer<double> count_{1};
};

// One level of the grid.
struct PlainLevel {
  PlainLevel(const Grid& grid, const gpu::Stream& stream);

  std::int64_t rows() const { return product(size); }
  std::int64_t columns() const { return rows() + external; }
  PlainView matrix() const { return {rows(), column.data(), value.data()}; }

  Triple size;
  std::vector<Halo::Neighbour> neighbours;
  std::int64_t external = 0;
  gpu::DeviceBuffer<std::int32_t> column;
  gpu::DeviceBuffer<double> value;
  gpu::DeviceBuffer<double> b;
};

// Data for the reference's sweeps and restrictions besides the matrices; made on first use.
class PlainCycle {
 public:
  PlainCycle(const SubCommunicator& ranks, std::deque<PlainLevel>& levels,
             const std::deque<gpu::DeviceBuffer<std::int32_t>>& fine_rows, const gpu::Stream& stream);

  void exchange(std::size_t level, gpu::DevicePointer<double> x) { halos_[level].exchange(x); }
  void precondition(std::size_t level, gpu::DevicePointer<double> r, gpu::DevicePointer<double> z);

 private:
  struct Order {
    std::vector<std::int64_t> begin;  // of each dependency level of the rows, and the end
    gpu::DeviceBuffer<std::int32_t> rows;
  };
  static Order order_of(const Triple& size, const gpu::Stream& stream);
  void relax(std::size_t level, std::size_t stage, gpu::DevicePointer<double> r, gpu::DevicePointer<double> x);

  std::deque<PlainLevel>& levels_;
  const std::deque<gpu::DeviceBuffer<std::int32_t>>& fine_rows_;
  const gpu::Stream& stream_;
  std::deque<Order> orders_;
  std::deque<gpu::DeviceHalo> halos_;
  std::deque<gpu::DeviceBuffer<double>> rights_;  // by grid level, from the second on
  std::deque<gpu::DeviceBuffer<double>> answers_;
};

struct Plain::Impl {
  Impl(const SubCommunicator& all, const Grid& grid);

  Method method();

  const SubCommunicator& ranks;
  gpu::DeviceInfo device = gpu::use_given();
  gpu::Stream stream;
  std::deque<PlainLevel> levels;
  std::deque<gpu::DeviceBuffer<std::int32_t>> fine_rows;  // by coarse row, of the first transition on
  std::unique_ptr<PlainCycle> cycle;
  std::unique_ptr<Cg> cg;
};

}  // namespace banzuke::hpcg
