#include "bench_gpu_ways.hpp"

#include "core/gpu/launch.hpp"

namespace banzuke::hpcg {
namespace {

template <int in_flight, bool once>
BANZUKE_GPU double sum_of(const LevelView& level, std::int64_t place, const gpu::Elements<const double>& x) {
  const SellView& a = level.matrix;
  const std::int64_t lane = place % chunk_rows;
  const std::int64_t end = a.start[matrix_parts * (place / chunk_rows + 1)];
  double sum = 0.0;
  for (std::int64_t slot = a.start[matrix_parts * (place / chunk_rows)]; slot < end; slot += in_flight) {
    std::int32_t columns[in_flight] = {};
    double values[in_flight] = {};
    BANZUKE_UNROLL
    for (int i = 0; i < in_flight; ++i) {
      if (slot + i >= end) continue;
      const std::int64_t at = (slot + i) * chunk_rows + lane;
      columns[i] = a.base[slot + i] + (once ? gpu::load_once(a.offset, at) : a.offset[at]);
      values[i] = once ? gpu::load_once(a.value, at) : a.value[at];
    }
    BANZUKE_UNROLL
    for (int i = 0; i < in_flight; ++i) {
      if (slot + i < end) sum += values[i] * x[columns[i]];
    }
  }
  return sum;
}

// Takes rows in the order of their places, one colour after another.
template <int in_flight, bool once, int size>
struct InOrder {
  static constexpr int threads = size;
  struct Shared {};

  LevelView level;
  std::int64_t places;
  gpu::Elements<const double> x;
  gpu::Elements<double> y;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    block.each([&](int thread) {
      const std::int64_t place = block.index() * threads + thread;
      if (place >= places) return;
      y[place] = level.diagonal[place] * x[place] + sum_of<in_flight, once>(level, place, x);
    });
  }
};

template <int in_flight, bool once, int size>
void queue(const gpu::Stream& stream, const LevelView& level, std::int64_t places, gpu::DevicePointer<const double> x,
           gpu::DevicePointer<double> y) {
  gpu::each_block(stream, (places + size - 1) / size, InOrder<in_flight, once, size>{level, places, x, y});
}

}  // namespace

const std::vector<ProductWay>& product_ways() {
  static const std::vector<ProductWay> ways{
      {"in order, 1 entry in flight", queue<1, true, 128>},   {"in order, 2 entries in flight", queue<2, true, 128>},
      {"in order, 4 entries in flight", queue<4, true, 128>}, {"in order, 8 entries in flight", queue<8, true, 128>},
      {"in order, 4, cached", queue<4, false, 128>},          {"in order, 4, blocks of 256", queue<4, true, 256>},
      {"in order, 4, blocks of 64", queue<4, true, 64>}};
  return ways;
}

}  // namespace banzuke::hpcg
