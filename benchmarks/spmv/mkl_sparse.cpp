#include "mkl_sparse.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "core/parameters.hpp"

namespace banzuke::spmv {
namespace {

// Constants of MKL's interface.
constexpr int zero_based = 0;
constexpr int no_transpose = 10;
constexpr int general = 20;
constexpr int success = 0;

void* open() {
  // MKL reads these when it is loaded. Without them it would start its own OpenMP runtime beside the program's.
  setenv("MKL_THREADING_LAYER", "GNU", 1);
  setenv("MKL_INTERFACE_LAYER", "LP64", 1);
  std::string errors;
  const auto attempt = [&](const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) errors += std::string(errors.empty() ? "" : "; ") + dlerror();
    return library;
  };
  if (const char* path = std::getenv("BANZUKE_MKL")) {
    if (void* library = attempt(path)) return library;
  } else {
    for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}) {
      if (void* library = attempt(name)) return library;
    }
  }
  throw std::runtime_error(
      "cannot load MKL (" + errors +
      "); install it, e.g. `pip install mkl`, and let BANZUKE_MKL be the path of its libmkl_rt.so");
}

template <class Function>
Function symbol(void* library, const char* name) {
  if (void* address = dlsym(library, name)) return reinterpret_cast<Function>(address);
  throw std::runtime_error(std::string("the library that BANZUKE_MKL names has no ") + name +
                           "; it must be MKL's libmkl_rt");
}

void check(int status, const char* call) {
  if (status != success) {
    throw std::runtime_error(std::string("MKL's ") + call + " failed with status " + std::to_string(status));
  }
}

}  // namespace

MklSparse::MklSparse(const Crs& matrix)
    : rows_(matrix.rows),
      start_(matrix.start.begin(), matrix.start.end()),
      column_(matrix.column.begin(), matrix.column.end()),
      value_(matrix.value) {
  if (matrix.nonzeros() > std::numeric_limits<int>::max()) {
    throw UsageError("nonzeros: MKL's 32-bit interface counts 2147483647 of them, but this matrix has " +
                     std::to_string(matrix.nonzeros()));
  }
  void* library = open();
  const auto set_threads = symbol<void (*)(int)>(library, "MKL_Set_Num_Threads");
  const auto create = symbol<Create>(library, "mkl_sparse_d_create_csr");
  const auto hint = symbol<Hint>(library, "mkl_sparse_set_mv_hint");
  const auto optimize = symbol<Act>(library, "mkl_sparse_optimize");
  multiply_ = symbol<Multiply>(library, "mkl_sparse_d_mv");
  destroy_ = symbol<Act>(library, "mkl_sparse_destroy");
  std::array<char, 200> text{};
  symbol<void (*)(char*, int)>(library, "MKL_Get_Version_String")(text.data(), static_cast<int>(text.size()) - 1);
  library_ = text.data();
  library_.erase(library_.find_last_not_of(' ') + 1);

  set_threads(omp_get_max_threads());
  if (value_.empty()) return;  // MKL refuses matrices without entries
  check(create(&handle_, zero_based, static_cast<int>(matrix.rows), static_cast<int>(matrix.columns), start_.data(),
               start_.data() + 1, column_.data(), value_.data()),
        "mkl_sparse_d_create_csr");
  constexpr int calls = 1000;                           // expected, so many that a conversion pays off
  hint(handle_, no_transpose, {general, 0, 0}, calls);  // may be refused if nothing is to be gained
  check(optimize(handle_), "mkl_sparse_optimize");
}

MklSparse::~MklSparse() {
  if (handle_ != nullptr) destroy_(handle_);
}

void MklSparse::run(const double* x, double* y) {
  if (handle_ == nullptr) {
    std::fill_n(y, rows_, 0.0);
    return;
  }
  check(multiply_(no_transpose, 1.0, handle_, {general, 0, 0}, x, 0.0, y), "mkl_sparse_d_mv");
}

}  // namespace banzuke::spmv
