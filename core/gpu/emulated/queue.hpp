// The emulated device's queue of work.
#pragma once

#include <functional>

#include "core/gpu/runtime.hpp"

namespace banzuke::gpu::emulated {

// Queues work of any kind; it runs when the host waits for it or for later work.
void queue(const Stream& stream, std::function<void()> work);
// Counts a message between devices; returns false if the message is to be lost.
bool sends(const Stream& stream);
// Marks the current end of the stream; the returned function runs all work up to there.
std::function<void()> mark(const Stream& stream);

}  // namespace banzuke::gpu::emulated
