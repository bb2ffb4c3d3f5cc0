#pragma once

namespace banzuke::gpu::emulated {

// The emulated devices as the variables are now; nothing that was allocated on them is left.
void restart();

}  // namespace banzuke::gpu::emulated
