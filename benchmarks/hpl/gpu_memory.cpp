#include "gpu_memory.hpp"

#include <numeric>
#include <string>

#include "core/gpu/choose.hpp"
#include "deal.hpp"
#include "gpu_device_panel.hpp"
#include "grid.hpp"
#include "panel.hpp"
#include "store.hpp"

namespace banzuke::hpl {
namespace {

// Widest slab: its products with a panel take at least twice the time of the panel's transfer over PCI Express 5. Wider
// ones would leave fewer columns that stay.
constexpr std::int64_t widest = 8192;

// Share of a device's memory that its driver and the library leave.
constexpr double usable_share = 0.96;

std::int64_t least_held(const Params& params) { return 2 * params.nb + 1; }

// The streaming with which a device holds `held` columns of [A b] at a time, in slabs as equal as blocks allow.
Streaming streaming(const Params& params, std::int64_t held) {
  const auto blocks = [&](std::int64_t columns) { return (columns + params.nb - 1) / params.nb * params.nb; };
  const auto in_slabs_of = [&](std::int64_t slab) {
    return Streaming{.columns = std::min(params.n, blocks(params.n + 1 - (held - 2 * slab))), .slab = slab};
  };
  const Streaming most = in_slabs_of(std::max<std::int64_t>(1, std::min(widest, held / 3) / params.nb) * params.nb);
  return in_slabs_of(blocks((most.columns + most.slabs() - 1) / most.slabs()));
}

// Bytes of the memory of the device on which a single rank runs; 0: unknown.
std::size_t memory_of_device() {
  try {
    return gpu::offered().front().memory;
  } catch (const gpu::NoDeviceError&) {
    return 0;
  }
}

}  // namespace

std::int64_t factors_size(const Params& params, std::int64_t first) {
  const std::int64_t width = std::min(params.nb, params.n - first);
  return body_of_factors(width) + distance_of(params.n - first) * width;
}

// On the host two panels and a block, and slabs; on the device they, the matrix or its last columns and two slabs, rows
// on their way and the blocks' inverses. Rows that go to other ranks have slots on both.
Problem memory_with(const Params& params, const Streaming& how) {
  const auto nb = static_cast<double>(params.nb);
  const std::int64_t rows = most_indices(params.nb, take_turns(static_cast<int>(params.p)), params.n);
  const std::int64_t columns = most_indices(params.nb, column_turns(params), params.n + 1);
  const auto distance = static_cast<double>(distance_of(columns - how.columns));
  const double panels = 2.0 * static_cast<double>(Panel::size(rows, params.nb));
  const double matrix = (static_cast<double>(rows) + nb + 1.0) * distance + 2.0 * static_cast<double>(rows) +
                        static_cast<double>(columns) / nb + 1.0;
  const double slots = params.p > 1 ? 4.0 * nb * static_cast<double>(columns) + 20.0 * nb : 0.0;
  const double u = params.p > 1 ? nb * distance : 0.0;
  const bool in_parts = params.p == 1 && params.inner > 0 && params.inner < params.nb;
  const double part = in_parts ? static_cast<double>(Panel::size(rows, params.inner)) + 3.0 * nb : 0.0;
  const double leaves =
      params.p == 1 && params.panel != "host" ? static_cast<double>(DevicePanel::size(rows, params.nb)) : 0.0;
  Problem needed{.footprint = gpu::host_footprint + 8.0 * (panels + slots + part + nb * (nb + 9.0)),
                 .device_footprint = 8.0 * (matrix + panels + slots + part + leaves + u + nb * (2.0 * nb + 8.0))};
  if (how.columns == 0) return needed;
  const auto slab = static_cast<double>(distance_of(how.slab));
  needed.device_footprint += 8.0 * (2.0 * static_cast<double>(rows) * slab + nb * slab +
                                    2.0 * static_cast<double>(factors_size(params, 0)) + static_cast<double>(columns));
  // The slabs' elements, whose places their parts of U and their factors take, but for each panel's own rows, the
  // inverses and the ends of lines; and the moves.
  const double kept = static_cast<double>(how.slabs()) * static_cast<double>(rows) * slab +
                      static_cast<double>(how.columns) * static_cast<double>(how.slab + params.nb + 31) +
                      4.0 * static_cast<double>(how.columns + params.nb);
  needed.footprint += 8.0 * kept;
  needed.facts = {{"columns_in_host_memory", how.columns}, {"columns_of_a_slab", how.slab}, {"slabs", how.slabs()}};
  return needed;
}

// As many columns on the device as its memory lets, less what its driver and the library take. If even the fewest are
// too many, these, so that who asks sees what is lacking.
Streaming streaming_on(const Params& params, std::size_t device_memory) {
  const std::int64_t least = least_held(params);
  if (params.held > 0 && params.held <= params.n) return streaming(params, params.held);
  const double usable = usable_share * static_cast<double>(device_memory);
  const auto fits = [&](const Streaming& how) { return memory_with(params, how).device_footprint <= usable; };
  if (params.p * params.q > 1 || device_memory == 0 || params.held > 0 || fits({}) || least > params.n) return {};
  std::int64_t low = least;
  for (std::int64_t high = params.n + 1; high - low > 1;) {
    const std::int64_t middle = std::midpoint(low, high);
    (fits(streaming(params, middle)) ? low : high) = middle;
  }
  return streaming(params, low);
}

Problem memory(const Params& params) {
  if (params.panel == "device" && params.p > 1) {
    throw UsageError("panel: a device factorises panels only if it has all their rows", {{{"p", 1}}}, "panel");
  }
  if (params.held > 0 && params.p * params.q > 1) {
    throw UsageError(
        "held: only a matrix on a single device may have columns in host memory; several devices hold more of it", {},
        "held");
  }
  if (params.held > 0 && params.held <= params.n && params.held < least_held(params)) {
    throw UsageError("held: the device must hold two slabs of at least nb columns and the right-hand side, " +
                         std::to_string(least_held(params)) + " columns",
                     {{{"held", least_held(params)}}}, "held");
  }
  const bool asks = params.p * params.q == 1 && params.held == 0;
  return memory_with(params, streaming_on(params, asks ? memory_of_device() : 0));
}

}  // namespace banzuke::hpl
