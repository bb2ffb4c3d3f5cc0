#include "core/gpu/blas.hpp"

#include <array>

#include "core/gpu/library.hpp"

namespace banzuke::gpu {
namespace {

// As in cublas_api.h and rocblas.h: handles are pointers; statuses and operations are integers.
using Handle = void*;

#ifdef BANZUKE_HIP
constexpr const char* variable = "BANZUKE_ROCBLAS";
constexpr const char* package = "Install rocblas";
constexpr int no_transpose = 111;
constexpr int transpose = 112;
constexpr int left_side = 141;
constexpr int right_side = 142;
constexpr int upper = 121;
constexpr int lower = 122;
constexpr int unit_diagonal = 132;
constexpr const char* create = "rocblas_create_handle";
constexpr const char* destroy = "rocblas_destroy_handle";
constexpr const char* set_stream = "rocblas_set_stream";
constexpr const char* multiply = "rocblas_dgemm";
constexpr const char* solve = "rocblas_dtrsm";

Library library() { return Library(variable, {"librocblas.so", "librocblas.so.4", "librocblas.so.0"}, package); }

std::string version(const Library& of, Handle) {
  std::array<char, 64> text{};
  auto* const get = of.get<int(char*, std::size_t)>("rocblas_get_version_string");
  return get(text.data(), text.size()) == 0 ? std::string("rocBLAS ") + text.data() : "rocBLAS";
}
#else
constexpr const char* variable = "BANZUKE_CUBLAS";
constexpr const char* package = "`pip install nvidia-cublas` into the environment";
constexpr int no_transpose = 0;
constexpr int transpose = 1;
constexpr int left_side = 0;
constexpr int right_side = 1;
constexpr int upper = 1;
constexpr int lower = 0;
constexpr int unit_diagonal = 1;
constexpr const char* create = "cublasCreate_v2";
constexpr const char* destroy = "cublasDestroy_v2";
constexpr const char* set_stream = "cublasSetStream_v2";
constexpr const char* multiply = "cublasDgemm_v2";
constexpr const char* solve = "cublasDtrsm_v2";

Library library() { return Library(variable, {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}, package); }

std::string version(const Library& of, Handle handle) {
  int number = 0;
  of.get<int(Handle, int*)>("cublasGetVersion_v2")(handle, &number);
  // 130002 is 13.0.2; before version 13 the last part had four digits.
  const int minor = number / 100 % 100;
  return "cuBLAS " + std::to_string(number / 10000) + "." + std::to_string(minor) + "." + std::to_string(number % 100);
}
#endif

using Multiply = int(Handle, int, int, int, int, int, const double*, const double*, int, const double*, int,
                     const double*, double*, int);
using Solve = int(Handle, int, int, int, int, int, int, const double*, const double*, int, double*, int);

int narrow(std::int64_t extent) { return static_cast<int>(extent); }

}  // namespace

struct Blas::Impl {
  explicit Impl(const Stream& stream)
      : library(gpu::library()),
        multiply_matrices(library.get<Multiply>(multiply)),
        solve_triangle(library.get<Solve>(solve)) {
    called(library.get<int(Handle*)>(create)(&handle), create);
    called(library.get<int(Handle, void*)>(set_stream)(handle, stream.native()), set_stream);
    name = version(library, handle);
  }
  ~Impl() { library.get<int(Handle)>(destroy)(handle); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Library library;
  Multiply* multiply_matrices;
  Solve* solve_triangle;
  Handle handle = nullptr;
  std::string name{};
};

Blas::Blas(const Stream& stream) : impl_(make_hidden<Impl>(stream)) {}

void Blas::dgemm(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, DevicePointer<const double> a,
                 std::int64_t lda, DevicePointer<const double> b, std::int64_t ldb, double beta,
                 DevicePointer<double> c, std::int64_t ldc, Transpose of_b) const {
  const int operation = of_b == Transpose::yes ? transpose : no_transpose;
  called(impl_->multiply_matrices(impl_->handle, no_transpose, operation, narrow(m), narrow(n), narrow(k), &alpha,
                                  a.address(), narrow(lda), b.address(), narrow(ldb), &beta, c.address(), narrow(ldc)),
         multiply);
}

void Blas::solve_unit_upper(std::int64_t m, std::int64_t n, DevicePointer<const double> a, std::int64_t lda,
                            DevicePointer<double> b, std::int64_t ldb) const {
  constexpr double one = 1.0;
  called(impl_->solve_triangle(impl_->handle, right_side, upper, no_transpose, unit_diagonal, narrow(m), narrow(n),
                               &one, a.address(), narrow(lda), b.address(), narrow(ldb)),
         solve);
}

void Blas::solve_unit_lower(std::int64_t m, std::int64_t n, DevicePointer<const double> a, std::int64_t lda,
                            DevicePointer<double> b, std::int64_t ldb) const {
  constexpr double one = 1.0;
  called(impl_->solve_triangle(impl_->handle, left_side, lower, no_transpose, unit_diagonal, narrow(m), narrow(n), &one,
                               a.address(), narrow(lda), b.address(), narrow(ldb)),
         solve);
}

const std::string& Blas::name() const { return impl_->name; }
const std::string& Blas::path() const { return impl_->library.path(); }

}  // namespace banzuke::gpu
