// Shared by fuzzers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace banzuke {

// Aborts the fuzzer if the result violates a guarantee of the reader.
inline void demand(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

}  // namespace banzuke
