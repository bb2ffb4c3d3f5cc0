#include "gpu_launches.hpp"

#include <bit>

#include "core/gpu/launch.hpp"
#include "core/random.hpp"
#include "gpu_pass.hpp"
#include "gpu_plain_pass.hpp"

namespace banzuke::fft {
namespace {

struct Fill {
  gpu::Elements<Complex> x;

  BANZUKE_GPU Complex value(std::int64_t i) const {
    return {uniform(0, static_cast<std::uint64_t>(i)), uniform(1, static_cast<std::uint64_t>(i))};
  }
  BANZUKE_GPU void put(std::int64_t i, const Complex& value) const { x[i] = value; }
};

gpu::DevicePointer<Number> numbers(gpu::DevicePointer<Complex> x) {
  return gpu::DevicePointer<Number>(reinterpret_cast<Number*>(x.address()));
}
gpu::DevicePointer<const Number> numbers(gpu::DevicePointer<const Complex> x) {
  return gpu::DevicePointer<const Number>(reinterpret_cast<const Number*>(x.address()));
}

RootTables tables(const DevicePass& pass) { return {numbers(pass.coarse), numbers(pass.fine), pass.shift}; }

// A kernel for one length: columns of a block, numbers of a thread, blocks that a multiprocessor holds at once,
// radices.
template <int Columns, int Each, int Resident, int... Radices>
struct Shape {
  static constexpr int length = (Radices * ...);
  static std::vector<int> radices() { return {Radices...}; }

  template <Way way>
  static void launch(const DevicePass& pass, const gpu::Stream& stream) {
    const std::int64_t groups = (pass.columns + Columns - 1) / Columns;
    gpu::each_block(
        stream, groups * pass.outers,
        Pass<Columns, Each, Resident, way, Radices...>{
            pass.in, pass.out, groups, pass.columns, numbers(pass.from), numbers(pass.to), numbers(pass.factors),
            tables(pass), pass.turned ? 2.0 / static_cast<double>(pass.length * pass.columns) : 0.0});
  }

  static void launch(const DevicePass& pass, const gpu::Stream& stream) {
    constexpr auto numbers = Neighbours::numbers;
    if (pass.turned && pass.computed) return launch<Way{.turned = true, .computed = true}>(pass, stream);
    if (pass.turned) return launch<Way{.turned = true}>(pass, stream);
    if (!pass.in.by_numbers()) return launch<Way{}>(pass, stream);
    if (!pass.out.by_numbers()) return launch<Way{.in = numbers}>(pass, stream);
    launch<Way{.in = numbers, .out = numbers}>(pass, stream);
  }
};

// Calls use(shape) with the shape of a length and returns true, or returns false if the length has none. The shapes for
// CUDA were the fastest on an H200, of three tried for each length.
template <class Use>
bool with_shape(std::int64_t length, [[maybe_unused]] bool turned, Use use) {
  const auto attempt = [&](auto... shapes) { return ((length == shapes.length && (use(shapes), true)) || ...); };
#if defined(__HIPCC__)  // a block has 64 KiB of shared memory at most
  return attempt(Shape<16, 16, 1, 16, 8>{}, Shape<8, 16, 1, 16, 16>{}, Shape<4, 6, 1, 8, 8, 6>{},
                 Shape<4, 8, 1, 8, 8, 8>{}, Shape<2, 16, 1, 16, 16, 4>{});
#else
  if (turned && attempt(Shape<16, 16, 4, 16, 8>{}, Shape<4, 16, 2, 16, 16, 4>{})) return true;
  return attempt(Shape<16, 16, 5, 16, 8>{}, Shape<16, 16, 2, 16, 16>{}, Shape<8, 6, 2, 8, 8, 6>{},
                 Shape<8, 16, 2, 8, 8, 8>{}, Shape<4, 8, 2, 8, 8, 4, 4>{});
#endif
}

void launch_plain(const DevicePass& pass, const gpu::Stream& stream) {
  PlainPass plain{.length = static_cast<int>(pass.length),
                  .turned = pass.turned,
                  .in_layout = pass.in,
                  .out_layout = pass.out,
                  .columns = pass.columns,
                  .in = numbers(pass.from),
                  .out = numbers(pass.to),
                  .factors = numbers(pass.factors),
                  .roots = tables(pass)};
  for (const int radix : radices_of(pass.length, pass.turned)) plain.radices[plain.stages++] = radix;
  gpu::each_block(stream, pass.outers * pass.columns, plain);
}

}  // namespace

void launch_fill(gpu::DevicePointer<Complex> x, std::int64_t size, const gpu::Stream& stream) {
  gpu::each_element(stream, size, Fill{x});
}

bool has_kernel(std::int64_t length) {
  return with_shape(length, false, [](auto) {});
}

bool can_compute_roots(const DevicePass& pass) {
  return pass.turned && has_kernel(pass.length) &&
         std::has_single_bit(static_cast<std::uint64_t>(pass.length * pass.columns));
}

std::vector<int> radices_of(std::int64_t length, bool turned) {
  std::vector<int> found;
  if (with_shape(length, turned, [&](auto shape) { found = shape.radices(); })) return found;
  for (const int radix : {5, 4, 3, 2}) {
    for (; length % radix == 0; length /= radix) found.push_back(radix);
  }
  return found;
}

void launch(const DevicePass& pass, const gpu::Stream& stream) {
  if (!with_shape(pass.length, pass.turned, [&](auto shape) { shape.launch(pass, stream); }))
    launch_plain(pass, stream);
}

}  // namespace banzuke::fft
