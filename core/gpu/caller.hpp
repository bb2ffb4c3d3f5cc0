// Where a function was called from, as the default of its last parameter. Like std::source_location, which Clang 14
// lacks.
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
