// A copy by the multiprocessors, as a device functor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/kernel.hpp"

namespace banzuke::transfer {

// Unit that a thread moves in one access.
struct alignas(16) Wide {
  std::uint64_t low, high;
};

// Moves `wide` units, then `rest` bytes. All blocks go through the array together (grid-stride), so that few blocks
// fill a device.
struct Move {
  static constexpr int threads = 256;
  static constexpr int in_flight = 4;  // units per thread whose loads are in flight together
  struct Shared {};

  std::int64_t wide;
  gpu::Elements<const Wide> from;
  gpu::Elements<Wide> to;
  int rest;
  gpu::Elements<const std::byte> rest_from;
  gpu::Elements<std::byte> rest_to;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared&) const {
    const std::int64_t stride = block.blocks() * threads;
    block.each([&](int thread) {
      std::int64_t i = block.index() * threads + thread;
      for (; i + (in_flight - 1) * stride < wide; i += in_flight * stride) {
        Wide units[in_flight];
        BANZUKE_UNROLL
        for (int k = 0; k < in_flight; ++k) units[k] = from[i + k * stride];
        BANZUKE_UNROLL
        for (int k = 0; k < in_flight; ++k) to[i + k * stride] = units[k];
      }
      for (; i < wide; i += stride) to[i] = from[i];
      if (block.index() == 0 && thread < rest) rest_to[thread] = rest_from[thread];
    });
  }
};

}  // namespace banzuke::transfer
