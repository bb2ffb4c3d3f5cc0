#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "core/random.hpp"

namespace banzuke::dgemm {
namespace {

struct Fill {
  std::uint64_t number;
  gpu::Elements<double> matrix;

  BANZUKE_GPU double value(std::int64_t i) const { return uniform(number, static_cast<std::uint64_t>(i)); }
  BANZUKE_GPU void put(std::int64_t i, double value) const { matrix[i] = value; }
};

struct Generated {
  std::uint64_t number;

  BANZUKE_GPU double operator()(std::int64_t i) const { return uniform(number, static_cast<std::uint64_t>(i)); }
};

struct Stored {
  gpu::Elements<const double> matrix;

  BANZUKE_GPU double operator()(std::int64_t i) const { return matrix[i]; }
};

struct Magnitude {
  gpu::Elements<const double> matrix;

  BANZUKE_GPU double operator()(std::int64_t i) const { return matrix[i] < 0.0 ? -matrix[i] : matrix[i]; }
};

// A thread has a row and the columns of its block's part: neighbours read neighbours.
template <class Element>
struct Rows {
  static constexpr int threads = 256;
  struct Shared {};

  std::int64_t rows, columns, columns_of_part;
  gpu::Elements<const double> x;
  gpu::Elements<double> sums;
  Element element;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    const std::int64_t of_rows = (rows + threads - 1) / threads;
    const std::int64_t part = block.index() / of_rows;
    const std::int64_t first = part * columns_of_part;
    const std::int64_t end = first + columns_of_part < columns ? first + columns_of_part : columns;
    block.each([&](int thread) {
      const std::int64_t row = block.index() % of_rows * threads + thread;
      if (row >= rows) return;
      double sum = 0.0;
      for (std::int64_t column = first; column < end; ++column) sum += element(row + column * rows) * x[column];
      sums[part * rows + row] = sum;
    });
  }
};

template <class Element>
void launch_rows(const Element& element, const PartialProduct& of, const gpu::Stream& stream) {
  const Rows<Element> work{of.rows, of.columns, of.columns_of_part, of.x, of.sums, element};
  const std::int64_t of_rows = (of.rows + work.threads - 1) / work.threads;
  const std::int64_t parts = (of.columns + of.columns_of_part - 1) / of.columns_of_part;
  gpu::each_block(stream, of_rows * parts, work);
}

}  // namespace

void launch_product(std::uint64_t number, const PartialProduct& of, const gpu::Stream& stream) {
  launch_rows(Generated{number}, of, stream);
}
void launch_product(gpu::DevicePointer<const double> matrix, const PartialProduct& of, const gpu::Stream& stream) {
  launch_rows(Stored{matrix}, of, stream);
}
void launch_product_of_magnitudes(gpu::DevicePointer<const double> matrix, const PartialProduct& of,
                                  const gpu::Stream& stream) {
  launch_rows(Magnitude{matrix}, of, stream);
}

void launch_fill(gpu::DevicePointer<double> matrix, std::int64_t size, std::uint64_t number,
                 const gpu::Stream& stream) {
  gpu::each_element(stream, size, Fill{number, matrix});
}

}  // namespace banzuke::dgemm
