// Row interchanges between ranks whose parts of the matrix are on devices: through pinned memory.
#pragma once

#include <array>
#include <cstdint>

#include "gpu_launches.hpp"
#include "swap.hpp"

namespace banzuke::hpl {

class GpuRows {
 public:
  GpuRows(const Grid& grid, const Distribution& of, const DeviceMatrix& matrix, std::int64_t nb, Swap kind,
          std::int64_t threshold);

  // Queues packing of the rows after all work queued on `work`.
  void start(const Panel& panel, std::int64_t begin, std::int64_t end, const gpu::Stream& work);
  // Waits until the rows are packed, then sends the messages; the device has other work meanwhile.
  void finish();

  // After finish(), for columns within the range: queues unpacking of the rows; U's rows go to `u`.
  void place(std::int64_t begin, std::int64_t columns, const DeviceMatrix& u, const gpu::Stream& work);
  bool has_diagonal() const { return exchange_.diagonal() >= 0; }

 private:
  enum List { outgoing, staying, arriving, order };
  void write_lists();
  RowList list(List which) const;

  DeviceMatrix matrix_;
  gpu::PinnedBuffer<double> slots_;
  gpu::DeviceBuffer<double> staged_;
  gpu::PinnedBuffer<std::int64_t> lists_memory_;
  gpu::DeviceBuffer<std::int64_t> lists_;
  std::array<std::int64_t, 5> starts_{};  // of each list's pairs
  RowExchange exchange_;
  gpu::Stream stream_;
  gpu::Event queued_, packed_, arrived_;
};

}  // namespace banzuke::hpl
