#include "core/blas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "core/binding.hpp"
#include "core/cpulist.hpp"

namespace banzuke {
namespace {

template <class Function>
Function symbol(void* library, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* address = dlsym(library, name)) return reinterpret_cast<Function>(address);
  }
  return nullptr;
}

std::string identify(void* library, const std::string& path) {
  if (auto config = symbol<char* (*)()>(library, {"openblas_get_config", "scipy_openblas_get_config"})) {
    std::string text = config();
    const auto core = symbol<char* (*)()>(library, {"openblas_get_corename", "scipy_openblas_get_corename"});
    text = text.substr(0, text.find(' ', text.find(' ') + 1));  // "OpenBLAS 0.3.34", without its build options
    return core != nullptr ? text + " " + core() : text;
  }
  if (auto version = symbol<void (*)(char*, int)>(library, {"MKL_Get_Version_String"})) {
    std::array<char, 200> text{};
    version(text.data(), static_cast<int>(text.size()) - 1);
    const std::string all = text.data();
    return "MKL " + all.substr(0, all.find_last_not_of(' ') + 1);
  }
  if (auto version = symbol<const char* (*)()>(library, {"bli_info_get_version_str"})) {
    const std::string text = version();  // AMD's includes its own name
    return text.starts_with("AOCL") ? text : "BLIS " + text;
  }
  return std::filesystem::path(path).filename();
}

// Libraries from Python packages are next to their dependencies, where the loader does not look.
void* open(const std::string& path) {
  for (std::string last;;) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    const std::string error = dlerror();
    const auto needed = std::filesystem::path(path).parent_path() / error.substr(0, error.find(':'));
    if (needed == last || !std::filesystem::is_regular_file(needed) ||
        !dlopen(needed.c_str(), RTLD_LAZY | RTLD_GLOBAL)) {
      throw std::runtime_error("cannot load the BLAS library: " + error);
    }
    last = needed;
  }
}

void set_threads(void* library, int threads) {
  if (auto set = symbol<void (*)(int)>(
          library, {"openblas_set_num_threads", "scipy_openblas_set_num_threads", "MKL_Set_Num_Threads"})) {
    set(threads);
  } else if (auto set_blis = symbol<void (*)(long)>(library, {"bli_thread_set_num_threads"})) {
    set_blis(threads);
  }
}

}  // namespace

std::string Blas::chosen() {
  const char* path = std::getenv("BANZUKE_BLAS");
  if (path == nullptr) throw std::runtime_error("no BLAS library chosen; set BANZUKE_BLAS to the path of one");
  return path;
}

Blas::Blas(const std::string& path, const std::vector<std::vector<int>>& places) : path_(path) {
  // Libraries read these at load time; MKL's own OpenMP runtime would conflict with the program's.
  const std::string threads = std::to_string(places.size());
  for (const char* name : {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    setenv(name, threads.c_str(), 1);
  }
  setenv("MKL_THREADING_LAYER", "GNU", 0);
  // LLVM's OpenMP runtime, which some libraries bring along, would bind every calling thread to its first place.
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES"}) unsetenv(name);
  setenv("KMP_AFFINITY", "disabled", 1);

  // A library's own threads inherit the loading thread's affinity, which is only that thread's place.
  const std::vector<int> before = thread_ids();
  const std::vector<int> own = allowed_cpus();
  std::vector<int> all;
  for (const auto& place : places) all.insert(all.end(), place.begin(), place.end());
  allow_cpus(all);

  void* library = open(path);
  dgemm_ = symbol<Dgemm>(library, {"cblas_dgemm", "scipy_cblas_dgemm"});
  dtrsm_ = symbol<Dtrsm>(library, {"cblas_dtrsm", "scipy_cblas_dtrsm"});
  if (dgemm_ == nullptr || dtrsm_ == nullptr) {
    throw std::runtime_error(path + " has no cblas_" + (dgemm_ == nullptr ? "dgemm" : "dtrsm"));
  }
  name_ = identify(library, path);
  set_threads(library, static_cast<int>(places.size()));

  constexpr int n = 512;  // large enough that every library starts all its threads
  const std::vector<double> ones(std::size_t{n} * n, 1.0);
  std::vector<double> product(ones.size());
  dgemm(n, n, n, 1.0, ones.data(), n, ones.data(), n, 0.0, product.data(), n);

  allow_cpus(own);
  std::size_t next = 1;
  for (const int id : thread_ids()) {
    if (std::ranges::find(before, id) != before.end()) continue;
    allow_cpus(places[next % places.size()], id);
    own_threads_.push_back(format_list(allowed_cpus(id)));
    ++next;
  }
}

}  // namespace banzuke
