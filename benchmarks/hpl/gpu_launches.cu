#include "gpu_launches.hpp"

#include <utility>

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"
#include "gpu_panel_kernels.hpp"

namespace banzuke::hpl {
namespace {

std::int64_t parts(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

void copy_rows(const DeviceMatrix& from, gpu::Elements<double> to, std::int64_t to_ld, const RowList& list,
               std::int64_t columns, const gpu::Stream& stream) {
  const std::int64_t strips = parts(columns, CopyRows::threads * CopyRows::in_flight);
  gpu::each_block(stream, strips * list.rows,
                  CopyRows{from.start, from.ld, to, to_ld, list.source, list.target, columns, strips});
}

}  // namespace

void launch_generate(const Distribution& of, ColumnBlocks blocks, std::int64_t begin, std::int64_t end,
                     const DeviceMatrix& matrix, const gpu::Stream& stream) {
  const std::int64_t strips = parts(matrix.ld, Generate::threads);
  const std::int64_t height = of.rows.block;
  const DealtColumns columns{of.columns.block, blocks};
  gpu::each_block(stream, strips * parts(of.local_rows, height),
                  Generate{of.n, of.rows, columns, of.local_rows, begin, end, matrix.ld, strips, height, matrix.start});
}

void launch_transpose(const DeviceMatrix& from, std::int64_t rows, std::int64_t columns, gpu::DevicePointer<double> to,
                      std::int64_t ld, const gpu::Stream& stream) {
  const std::int64_t tiles = parts(columns, Transpose::tile);
  gpu::each_block(stream, tiles * parts(rows, Transpose::tile),
                  Transpose{from.start, from.ld, rows, columns, tiles, to, ld});
}

void launch_copy_rows(const DeviceMatrix& from, const DeviceMatrix& to, const RowList& list, std::int64_t columns,
                      const gpu::Stream& stream) {
  copy_rows(from, to.start, to.ld, list, columns, stream);
}

void launch_copy_rows(const DeviceMatrix& from, gpu::PinnedPointer<double> to, const RowList& list,
                      std::int64_t columns, const gpu::Stream& stream) {
  copy_rows(from, to, columns, list, columns, stream);
}

void launch_copy_columns(gpu::DevicePointer<const double> from, std::int64_t from_ld, std::int64_t rows,
                         std::int64_t columns, gpu::DevicePointer<double> to, std::int64_t to_ld,
                         const gpu::Stream& stream) {
  const std::int64_t strips = parts(rows, CopyColumns::threads * CopyColumns::in_flight);
  gpu::each_block(stream, strips * columns, CopyColumns{from, from_ld, to, to_ld, rows, strips});
}

void launch_interchange(gpu::DevicePointer<double> columns, std::int64_t ld, std::int64_t count, const Columns& of,
                        const Interchanges& moves, const gpu::Stream& stream) {
  gpu::each_block(stream, count - (of.end - of.begin),
                  Interchange{columns, ld, of.begin, of.end, moves.sources, moves.displaced.source,
                              moves.displaced.target, moves.displaced.rows});
}

std::size_t LeafMemory::size(std::int64_t rows) {
  return static_cast<std::size_t>(2 * Candidates::size(parts(rows, Eliminate::rows_of_block)));
}

void launch_leaf(gpu::DevicePointer<double> body, std::int64_t ld, std::int64_t rows, std::int64_t columns,
                 const Columns& of, const LeafMemory& memory, const gpu::Stream& stream) {
  static_assert(leaf_width == Candidates::widest);
  const std::int64_t blocks = parts(rows - of.begin, Eliminate::rows_of_block);
  const auto width = static_cast<int>(of.end - of.begin);
  Candidates from{memory.candidates};
  Candidates to{memory.candidates + Candidates::size(blocks)};
  for (int column = 0; column <= width; ++column) {
    gpu::each_block(stream, blocks, Eliminate{body, ld, rows, of.begin, width, column, from, to, memory.pivots});
    std::swap(from, to);
  }
  gpu::each_index(stream, columns - width, CarryAlong{body, ld, of.begin, of.end, memory.pivots});
}

void launch_open_block(gpu::DevicePointer<const double> l1, std::int64_t width, const DeviceMatrix& diagonal,
                       gpu::DevicePointer<double> unit, const gpu::Stream& stream) {
  gpu::each_element(stream, width * width,
                    OpenBlock{l1, width, diagonal.start, diagonal.ld, diagonal.start.address() != nullptr, unit});
}

void launch_copy_block(const DeviceMatrix& from, std::int64_t width, gpu::PinnedPointer<double> to,
                       const gpu::Stream& stream) {
  gpu::each_element(stream, width * width, CopyBlock{from.start, from.ld, width, to});
}

void launch_subtract_products(const DeviceMatrix& from, std::int64_t rows, std::int64_t columns,
                              gpu::DevicePointer<const double> x, const DeviceMatrix& side,
                              gpu::PinnedPointer<double> sides, const gpu::Stream& stream) {
  gpu::each_block(
      stream, rows,
      SubtractProducts{from.start, from.ld, columns, x, side.start, side.start.address() != nullptr, sides});
}

void launch_row_sums(const Distribution& of, ColumnBlocks blocks, gpu::DevicePointer<const double> x,
                     gpu::DevicePointer<double> sums, const gpu::Stream& stream) {
  const std::int64_t own_columns = of.columns.before(of.n);
  const std::int64_t strips = parts(of.local_rows, RowSums::threads);
  const std::int64_t width = of.columns.block;
  gpu::each_block(stream, strips * parts(own_columns, width),
                  RowSums{of.n, of.rows, DealtColumns{width, blocks}, of.local_rows, own_columns, strips, width,
                          steps(static_cast<std::uint64_t>(of.n)), x, sums});
}

}  // namespace banzuke::hpl
