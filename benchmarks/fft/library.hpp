// A library with FFTW's interface, loaded at run time: transforms of one rank.
#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace banzuke::fft {

// How a library is found.
struct Candidate {
  const char* name;
  const char* variable;                         // names its file
  std::vector<std::vector<const char*>> files;  // of each way to have it, all must be there: with its threads
  const char* remedy;
};

class Library {
 public:
  // Chooses a method for n numbers from `in` to `out`, which it may overwrite. Throws std::runtime_error.
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
