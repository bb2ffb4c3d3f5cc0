// Operations on the matrix in device memory, besides products.
#pragma once

#include <cstdint>

#include "core/gpu/runtime.hpp"
#include "matrix.hpp"

namespace banzuke::hpl {

// Row-major, rows `ld` apart.
struct DeviceMatrix {
  gpu::DevicePointer<double> start;
  std::int64_t ld;

  gpu::DevicePointer<double> at(std::int64_t row, std::int64_t column) const { return start + (row * ld + column); }
};

// The global index of the first column of each local block.
using ColumnBlocks = gpu::DevicePointer<const std::int64_t>;

// Queues the official problem's elements in local columns [begin, end), and zeros from there to the next row.
void launch_generate(const Distribution& of, ColumnBlocks blocks, std::int64_t begin, std::int64_t end,
                     const DeviceMatrix& matrix, const gpu::Stream& stream);

// Queues to[j * ld + i] := from(i, j): rows become columns.
void launch_transpose(const DeviceMatrix& from, std::int64_t rows, std::int64_t columns, gpu::DevicePointer<double> to,
                      std::int64_t ld, const gpu::Stream& stream);

// Queues row target[i] of `to` := row source[i] of `from` for each listed row; no target may be another row's source.
struct RowList {
  gpu::DevicePointer<const std::int64_t> source, target;
  std::int64_t rows;
};
void launch_copy_rows(const DeviceMatrix& from, const DeviceMatrix& to, const RowList& list, std::int64_t columns,
                      const gpu::Stream& stream);
// The same into host memory, with rows `columns` apart.
void launch_copy_rows(const DeviceMatrix& from, gpu::PinnedPointer<double> to, const RowList& list,
                      std::int64_t columns, const gpu::Stream& stream);

// Queues a copy of columns, which are `from_ld` and `to_ld` apart.
void launch_copy_columns(gpu::DevicePointer<const double> from, std::int64_t from_ld, std::int64_t rows,
                         std::int64_t columns, gpu::DevicePointer<double> to, std::int64_t to_ld,
                         const gpu::Stream& stream);

// The interchanges of columns [begin, end) of a panel, from RowMoves.
struct Columns {
  std::int64_t begin, end;
};
struct Interchanges {
  gpu::DevicePointer<const std::int64_t> sources;
  RowList displaced;
};
// Queues them in the panel's other columns, which are `ld` apart.
void launch_interchange(gpu::DevicePointer<double> columns, std::int64_t ld, std::int64_t count, const Columns& of,
                        const Interchanges& moves, const gpu::Stream& stream);

// Queues the factorisation of a panel's columns [begin, end), at most `leaf_width` of them, whose rows are `rows` from
// the panel's first on; the interchanges are also made in the panel's other columns, `columns` in all. pivots[i] is the
// row of the panel that was interchanged with row i.
inline constexpr std::int64_t leaf_width = 16;
struct LeafMemory {
  static std::size_t size(std::int64_t rows);  // of `candidates`
  gpu::DevicePointer<double> candidates;
  gpu::DevicePointer<std::int64_t> pivots;
};
void launch_leaf(gpu::DevicePointer<double> body, std::int64_t ld, std::int64_t rows, std::int64_t columns,
                 const Columns& of, const LeafMemory& memory, const gpu::Stream& stream);

// Queues what a step needs of L1 (width x width, row-major): copies its upper triangle to `diagonal` if that is given,
// and sets `unit` to the unit matrix.
void launch_open_block(gpu::DevicePointer<const double> l1, std::int64_t width, const DeviceMatrix& diagonal,
                       gpu::DevicePointer<double> unit, const gpu::Stream& stream);

// Queues a copy of width x width elements into host memory, row-major.
void launch_copy_block(const DeviceMatrix& from, std::int64_t width, gpu::PinnedPointer<double> to,
                       const gpu::Stream& stream);

// Queues sides[i] := side(i, 0) - sum of from(i, j) x[j]; without `side`: just the negative sum.
void launch_subtract_products(const DeviceMatrix& from, std::int64_t rows, std::int64_t columns,
                              gpu::DevicePointer<const double> x, const DeviceMatrix& side,
                              gpu::PinnedPointer<double> sides, const gpu::Stream& stream);

// Queues sums[i] += (A x)(i) and sums[rows + i] += sum of |A(i, :)| in the rank's columns of A, which are regenerated.
void launch_row_sums(const Distribution& of, ColumnBlocks blocks, gpu::DevicePointer<const double> x,
                     gpu::DevicePointer<double> sums, const gpu::Stream& stream);

}  // namespace banzuke::hpl
