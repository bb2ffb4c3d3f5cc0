#pragma once

namespace banzuke::gups {

// Requests an L2 fetch granularity of `bytes` and returns the resulting one; 0 if unknown.
int ask_for_fetch(int bytes);

}  // namespace banzuke::gups
