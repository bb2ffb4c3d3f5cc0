// The messages that one exchange sends and receives.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace banzuke::pt2pt {

inline constexpr int message_tag = 1;
inline constexpr int answer_tag = 2;

// With `stride` 0 all messages of a window use the same buffer, as in OSU's benchmarks.
struct Traffic {
  std::byte* out;
  std::byte* in;
  std::ptrdiff_t stride;
  int size;
  int window;
  int peer;
  MPI_Request* sends;
  MPI_Request* receives;
};

}  // namespace banzuke::pt2pt
