// Where the emulated device keeps work until its turn.
#pragma once

#include <functional>

#include "core/gpu/runtime.hpp"

namespace banzuke::gpu::emulated {

// Queues work of any kind; it is done when the host waits for it or for what follows it.
void queue(const Stream& stream, std::function<void()> work);

}  // namespace banzuke::gpu::emulated
