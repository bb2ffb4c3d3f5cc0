#pragma once

namespace banzuke::gpu::emulated {

// Sets up the emulated devices anew from the environment variables; all their allocations are gone.
void restart();

}  // namespace banzuke::gpu::emulated
