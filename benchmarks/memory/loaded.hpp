// Latency of memory while other threads read it as fast as they can.
#pragma once

#include "memory.hpp"

namespace banzuke::memory {

// The threads of a rank that stream; the first thread makes dependent loads.
std::int64_t streams_of(const Params& params, std::int64_t threads);

Result measure_loaded(const Params& params, const Context& context);

}  // namespace banzuke::memory
