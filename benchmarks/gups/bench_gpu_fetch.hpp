#pragma once

namespace banzuke::gups {

// Asks that the L2 cache fetch so many bytes from memory at once; returns what it does then. 0: it is not known.
int ask_for_fetch(int bytes);

}  // namespace banzuke::gups
