#include "gpu_launches.hpp"

#include "core/gpu/launch.hpp"
#include "core/random.hpp"
#include "gpu_pass.hpp"
#include "gpu_pipeline.hpp"
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

// How the kernel of one length does it: columns in a block, numbers in a thread, radices.
template <int Columns, int Each, int Resident, int... Radices>
struct Shape {
  static constexpr int length = (Radices * ...);
  static std::vector<int> radices() { return {Radices...}; }

  static constexpr int columns = Columns;

  template <Way way>
  static auto made(const DevicePass& pass) {
    return Pass<Columns, Each, Resident, way, Radices...>{pass.in,
                                                          pass.out,
                                                          (pass.columns + Columns - 1) / Columns,
                                                          pass.columns,
                                                          numbers(pass.from),
                                                          numbers(pass.to),
                                                          numbers(pass.factors),
                                                          tables(pass)};
  }

  template <Way way>
  static void launch(const DevicePass& pass, const gpu::Stream& stream) {
    const auto work = made<way>(pass);
    gpu::each_block(stream, work.groups * pass.outers, work);
  }

  static void launch(const DevicePass& pass, const gpu::Stream& stream) {
    constexpr auto numbers = Neighbours::numbers;
    if (pass.turned) return launch<Way{.turned = true}>(pass, stream);
    if (!pass.in.by_numbers()) return launch<Way{}>(pass, stream);
    if (!pass.out.by_numbers()) return launch<Way{.in = numbers}>(pass, stream);
    launch<Way{.in = numbers, .out = numbers}>(pass, stream);
  }

  template <Way first, Way second>
  static void launch(const DevicePipeline& pipeline, const gpu::Stream& stream) {
    const Pipeline work{
        made<first>(pipeline.first), made<second>(pipeline.second), pipeline.chunks,        pipeline.chunk,
        pipeline.next_output,        pipeline.first.outers,         pipeline.second.outers, pipeline.counters};
    gpu::set_bytes(pipeline.counters, 0, static_cast<std::size_t>(1 + 2 * pipeline.chunks), stream);
    gpu::each_block(stream, pipeline.chunks * (work.first_blocks() + work.second_blocks()), work);
  }

  static void launch(const DevicePipeline& pipeline, const gpu::Stream& stream) {
    constexpr auto numbers = Neighbours::numbers;
    if (pipeline.first.turned) {
      return launch<Way{.turned = true, .out_cache = true}, Way{.in = numbers, .in_cache = true}>(pipeline, stream);
    }
    launch<Way{.in = numbers, .out = numbers, .out_cache = true}, Way{.in_cache = true}>(pipeline, stream);
  }
};

// Calls use(shape) with that of a length; false: it has none.
template <class Use>
bool with_shape(std::int64_t length, int variant, Use use) {
  const auto attempt = [&](auto... shapes) { return ((length == shapes.length && (use(shapes), true)) || ...); };
  if (variant == 1) {
    return attempt(Shape<16, 8, 4, 8, 4, 4>{}, Shape<8, 8, 4, 8, 8, 4>{}, Shape<8, 6, 2, 8, 8, 6>{},
                   Shape<8, 8, 2, 8, 8, 8>{}, Shape<2, 16, 4, 16, 16, 4>{});
  }
  if (variant == 2) {
    return attempt(Shape<16, 16, 5, 16, 8>{}, Shape<16, 16, 2, 16, 16>{}, Shape<8, 12, 2, 8, 8, 6>{},
                   Shape<8, 16, 2, 8, 8, 8>{}, Shape<4, 8, 2, 8, 8, 4, 4>{});
  }
  return attempt(Shape<16, 16, 4, 16, 8>{}, Shape<8, 16, 4, 16, 16>{}, Shape<4, 6, 4, 8, 8, 6>{},
                 Shape<4, 8, 4, 8, 8, 8>{}, Shape<4, 16, 2, 16, 16, 4>{});
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
  for (const int radix : radices_of(pass.length, 0)) plain.radices[plain.stages++] = radix;
  gpu::each_block(stream, pass.outers * pass.columns, plain);
}

}  // namespace

void launch_fill(gpu::DevicePointer<Complex> x, std::int64_t size, const gpu::Stream& stream) {
  gpu::each_element(stream, size, Fill{x});
}

bool has_kernel(std::int64_t length) {
  return with_shape(length, 0, [](auto) {});
}

std::vector<int> radices_of(std::int64_t length, int variant) {
  std::vector<int> found;
  if (with_shape(length, variant, [&](auto shape) { found = shape.radices(); })) return found;
  for (const int radix : {5, 4, 3, 2}) {
    for (; length % radix == 0; length /= radix) found.push_back(radix);
  }
  return found;
}

void launch(const DevicePass& pass, const gpu::Stream& stream) {
  if (!with_shape(pass.length, pass.variant, [&](auto shape) { shape.launch(pass, stream); }))
    launch_plain(pass, stream);
}

std::int64_t columns_of_block(std::int64_t length, int variant) {
  std::int64_t found = 1;
  with_shape(length, variant, [&](auto shape) { found = shape.columns; });
  return found;
}

void launch(const DevicePipeline& pipeline, const gpu::Stream& stream) {
  with_shape(pipeline.first.length, pipeline.first.variant, [&](auto shape) {
    if constexpr (shape.length >= 256 && shape.length <= 512) shape.launch(pipeline, stream);
  });
}

}  // namespace banzuke::fft
