// What this process did last, told when it takes too long: a hang then names the step that each rank hangs in.
#pragma once

#include <string_view>

namespace banzuke {

// What the process does from now on, in one line; longer ones are cut. One thread calls this.
void set_step(std::string_view text);

// Writes `step RANK TEXT` to the error stream every so many seconds from now, whatever the process does then.
void tell_step_every(double seconds, int rank);

}  // namespace banzuke
