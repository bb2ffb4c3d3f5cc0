#include "library.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace banzuke::fft {
namespace {

// Constants of FFTW's interface.
constexpr int forward = -1;
constexpr unsigned measure_flag = 0;
constexpr unsigned estimate_flag = 1U << 6U;

struct Transform {  // FFTW's fftw_iodim64
  std::ptrdiff_t n;
  std::ptrdiff_t in_stride;
  std::ptrdiff_t out_stride;
};

// Loads a library with all that it needs, and returns the handle that has the functions. Throws std::runtime_error.
void* open(const Candidate& candidate) {
  // MKL reads these when it is loaded. Without them it would start its own OpenMP runtime beside the program's.
  setenv("MKL_THREADING_LAYER", "GNU", 0);
  setenv("MKL_INTERFACE_LAYER", "LP64", 0);
  std::string errors;
  const auto load = [&](const char* file) {
    void* library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) errors += std::string(errors.empty() ? "" : "; ") + dlerror();
    return library;
  };
  if (const char* path = std::getenv(candidate.variable)) {
    if (void* library = load(path)) return library;
  } else {
    for (const auto& [file, threads] : candidate.files) {
      void* library = file != nullptr ? load(file) : nullptr;
      if (library != nullptr && threads != nullptr) library = load(threads);
      if (library != nullptr) return library;
    }
  }
  throw std::runtime_error(std::string("cannot load ") + candidate.name + " (" + errors + "); " + candidate.remedy);
}

template <class Function>
Function* symbol(void* library, const Candidate& candidate, const char* name) {
  if (void* address = dlsym(library, name)) return reinterpret_cast<Function*>(address);
  if (void* address = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Function*>(address);
  throw std::runtime_error(std::string(candidate.name) + " has no " + name + "; " + candidate.remedy);
}

}  // namespace

Library::Library(const Candidate& candidate, std::int64_t n, Complex* in, Complex* out, bool measure) {
  void* library = open(candidate);
  const auto load = [&]<class Function>(Function*& function, const char* name) {
    function = symbol<Function>(library, candidate, name);
  };
  int (*begin_threads)() = nullptr;
  void (*use_threads)(int) = nullptr;
  void* (*plan)(int, const Transform*, int, const Transform*, Complex*, Complex*, int, unsigned) = nullptr;
  if (dlsym(library, candidate.own) == nullptr) {
    throw std::runtime_error(std::string("what was loaded is not ") + candidate.name + "; " + candidate.remedy);
  }
  load(begin_threads, "fftw_init_threads");
  load(use_threads, "fftw_plan_with_nthreads");
  load(plan, "fftw_plan_guru64_dft");
  load(destroy_, "fftw_destroy_plan");
  load(execute_, "fftw_execute_dft");
  if (begin_threads() == 0) throw std::runtime_error(std::string(candidate.name) + " cannot start threads");
  use_threads(omp_get_max_threads());
  const Transform transform{n, 1, 1};
  plan_ = plan(1, &transform, 0, nullptr, in, out, forward, measure ? measure_flag : estimate_flag);
  if (plan_ == nullptr) {
    throw std::runtime_error(std::string(candidate.name) + " has no plan for " + std::to_string(n) + " numbers");
  }
  const auto* version = static_cast<const char*>(dlsym(library, "fftw_version"));
  if (version == nullptr) version = static_cast<const char*>(dlsym(RTLD_DEFAULT, "fftw_version"));
  version_ = version != nullptr ? version : candidate.name;
}

Library::~Library() {
  if (plan_ != nullptr) destroy_(plan_);
}

void Library::run(Complex* in, Complex* out) const { execute_(plan_, in, out); }

}  // namespace banzuke::fft
