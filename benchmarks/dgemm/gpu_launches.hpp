#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"

namespace banzuke::dgemm {

// Queues matrix[i] := uniform(number, i) for all elements.
void launch_fill(gpu::DevicePointer<double> matrix, std::int64_t size, std::uint64_t number, const gpu::Stream& stream);

// Product of a rows x columns matrix and x, where every thread block takes a fixed number of columns; sums holds each
// block's part of every row, one block after another.
struct PartialProduct {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t columns_of_part;
  gpu::DevicePointer<const double> x;
  gpu::DevicePointer<double> sums;
};

// Queues it for the matrix that launch_fill makes with `number`; for a stored matrix; and for its magnitudes.
void launch_product(std::uint64_t number, const PartialProduct& of, const gpu::Stream& stream);
void launch_product(gpu::DevicePointer<const double> matrix, const PartialProduct& of, const gpu::Stream& stream);
void launch_product_of_magnitudes(gpu::DevicePointer<const double> matrix, const PartialProduct& of,
                                  const gpu::Stream& stream);

}  // namespace banzuke::dgemm
