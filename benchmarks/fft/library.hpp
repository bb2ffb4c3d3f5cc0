// A library with FFTW's interface, loaded at run time, for the transforms of one rank.
#pragma once

#include <array>
#include <string>

#include "core/fft/kernels.hpp"

namespace banzuke::fft {

// Where a library may be found.
struct Candidate {
  // All named files must exist: the library's threading may be in a separate file.
  struct Files {
    const char* library = nullptr;
    const char* threads = nullptr;
  };

  const char* name;
  const char* variable;        // environment variable that names its file
  std::array<Files, 3> files;  // alternatives, the best first
  const char* remedy;
  const char* own;  // a function that no other library has, however similar the interfaces
};

class Library {
 public:
  // Plans a transform of n numbers from `in` to `out`, which it may overwrite. Throws std::runtime_error.
  Library(const Candidate& candidate, std::int64_t n, Complex* in, Complex* out, bool measure);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void run(Complex* in, Complex* out) const;
  const std::string& version() const { return version_; }

 private:
  void (*destroy_)(void*) = nullptr;
  void (*execute_)(void*, Complex*, Complex*) = nullptr;
  void* plan_ = nullptr;
  std::string version_;
};

}  // namespace banzuke::fft
