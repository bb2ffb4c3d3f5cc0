#include "gpu_launches.hpp"

#include <array>

#include "core/gpu/launch.hpp"
#include "gpu_kernels.hpp"

namespace banzuke::gups {
namespace {

template <int Threads, int InFlight, Change How>
void launch_update(const DeviceTable& table, std::int64_t updates, const Starts& starts, const gpu::Stream& stream) {
  gpu::each_block(stream, starts.blocks,
                  Update<Threads, InFlight, How>{updates, starts.stretch, table.n - 1, starts.of_block,
                                                 starts.of_thread, table.words});
}

template <int Threads, int InFlight, Change How>
constexpr UpdateWay way(const char* name) {
  return {name, Threads, launch_update<Threads, InFlight, How>, How == Change::atomic};
}

constexpr std::array<UpdateWay, update_ways> ways{way<256, 4, Change::atomic>("atomic, 256 threads, 4 in flight"),
                                                  way<256, 1, Change::atomic>("atomic, 256 threads, 1 in flight"),
                                                  way<256, 16, Change::atomic>("atomic, 256 threads, 16 in flight"),
                                                  way<64, 4, Change::atomic>("atomic, 64 threads, 4 in flight"),
                                                  way<128, 4, Change::atomic>("atomic, 128 threads, 4 in flight"),
                                                  way<1024, 4, Change::atomic>("atomic, 1024 threads, 4 in flight"),
                                                  way<256, 1, Change::plain>("plain, 256 threads, 1 in flight"),
                                                  way<256, 4, Change::plain>("plain, 256 threads, 4 in flight"),
                                                  way<256, 16, Change::plain>("plain, 256 threads, 16 in flight"),
                                                  way<1024, 4, Change::plain>("plain, 1024 threads, 4 in flight")};

}  // namespace

const UpdateWay& update_way(int number) { return ways.at(static_cast<std::size_t>(number)); }

void launch_fill(const DeviceTable& table, const gpu::Stream& stream) {
  gpu::each_element(stream, table.n, Fill{table.words});
}

void launch_replay(const DeviceTable& table, std::int64_t updates, std::uint64_t jump, const Starts& starts,
                   const gpu::Stream& stream) {
  gpu::each_block(stream, starts.blocks,
                  Replay{updates, table.n - 1, jump, starts.of_block, starts.of_thread, table.words});
}

void launch_count(std::int64_t n, gpu::DevicePointer<const std::uint64_t> words,
                  gpu::PinnedPointer<std::uint64_t> checksums, gpu::PinnedPointer<std::int64_t> right,
                  std::int64_t blocks, const gpu::Stream& stream) {
  gpu::each_block(stream, blocks, Count{n, words, checksums, right});
}

}  // namespace banzuke::gups
