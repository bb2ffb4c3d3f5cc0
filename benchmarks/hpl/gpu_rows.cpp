#include "gpu_rows.hpp"

namespace banzuke::hpl {

// There are at most 2 nb outgoing rows, and at most nb in each other list.
GpuRows::GpuRows(const Grid& grid, const Distribution& of, const DeviceMatrix& matrix, std::int64_t nb, Swap kind,
                 std::int64_t threshold)
    : matrix_(matrix),
      slots_(RowExchange::size(of, nb)),
      staged_(slots_.size()),
      lists_memory_(static_cast<std::size_t>(10 * nb)),
      lists_(lists_memory_.size()),
      exchange_(grid, of, kind, threshold, slots_.span()) {}

// For each list, its sources and then its targets.
void GpuRows::write_lists() {
  std::int64_t at = 0;
  const auto write = [&](List which, const auto& rows, auto source, auto target) {
    const auto memory = lists_memory_.span().subspan(static_cast<std::size_t>(2 * at));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      memory[i] = source(i);
      memory[rows.size() + i] = target(i);
    }
    starts_[which] = at;
    at += std::ssize(rows);
    starts_[which + 1] = at;
  };
  const auto& out = exchange_.outgoing();
  write(outgoing, out, [&](std::size_t i) { return out[i].row; }, [&](std::size_t i) { return out[i].slot; });
  const auto& own = exchange_.staying();
  write(staying, own, [&](std::size_t i) { return own[i].row; }, [&](std::size_t i) { return own[i].to; });
  const auto& in = exchange_.arriving();
  write(arriving, in, [&](std::size_t i) { return in[i].slot; }, [&](std::size_t i) { return in[i].row; });
  const auto& u = exchange_.order();
  write(order, u, [&](std::size_t i) { return u[i]; }, [](std::size_t i) { return static_cast<std::int64_t>(i); });
}

RowList GpuRows::list(List which) const {
  const std::int64_t rows = starts_[which + 1] - starts_[which];
  const auto source = lists_.data() + 2 * starts_[which];
  return {.source = source, .target = source + rows, .rows = rows};
}

void GpuRows::start(const Panel& panel, std::int64_t begin, std::int64_t end, const gpu::Stream& work) {
  arrived_.wait();  // what was sent before has left the pinned memory
  exchange_.plan(panel, begin, end);
  write_lists();
  queued_.record(work);
  stream_.after(queued_);
  gpu::copy(lists_.data(), lists_memory_.data(), lists_.size(), stream_);
  launch_copy_rows({matrix_.at(0, begin), matrix_.ld}, slots_.data(), list(outgoing), exchange_.columns(), stream_);
  packed_.record(stream_);
}

void GpuRows::finish() {
  packed_.wait();
  exchange_.send();
  exchange_.finish();
  gpu::copy(staged_.data(), slots_.data(), exchange_.used(), stream_);
  arrived_.record(stream_);
}

void GpuRows::place(std::int64_t begin, std::int64_t columns, const DeviceMatrix& u, const gpu::Stream& work) {
  const DeviceMatrix matrix{matrix_.at(0, begin), matrix_.ld};
  const DeviceMatrix staged{staged_.data() + (begin - exchange_.begin()), exchange_.columns()};
  work.after(arrived_);
  launch_copy_rows(matrix, matrix, list(staying), columns, work);
  launch_copy_rows(staged, matrix, list(arriving), columns, work);
  launch_copy_rows(staged, u, list(order), columns, work);
}

}  // namespace banzuke::hpl
