// Where the emulated device keeps work until its turn.
#pragma once

#include <functional>

#include "core/gpu/runtime.hpp"

namespace banzuke::gpu::emulated {

// Queues work of any kind; it is done when the host waits for it or for what follows it.
void queue(const Stream& stream, std::function<void()> work);
// Counts a message between devices; false: it gets lost.
bool sends(const Stream& stream);
// Notes how far the stream has got; what is returned does all work up to there.
std::function<void()> mark(const Stream& stream);

}  // namespace banzuke::gpu::emulated
