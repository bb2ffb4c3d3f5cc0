// Where a function was called from: its last parameter's default. As std::source_location, which Clang 14 has not.
#pragma once

namespace banzuke::gpu {

struct Caller {
  const char* file;
  unsigned line;

  static constexpr Caller here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {.file = file, .line = line};
  }
};

}  // namespace banzuke::gpu
