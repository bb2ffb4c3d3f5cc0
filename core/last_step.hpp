// Reports the current step of this process when it takes too long, so that a hang shows where each rank hangs.
#pragma once

#include <string_view>

namespace banzuke {

// Sets what the process does from now on, in one line; longer text is truncated. Call this from one thread.
void set_step(std::string_view text);

// From now on writes `step RANK TEXT` to standard error every `seconds` seconds, whatever the process is doing.
void tell_step_every(double seconds, int rank);

}  // namespace banzuke
