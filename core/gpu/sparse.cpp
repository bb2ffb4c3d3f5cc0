#include "core/gpu/sparse.hpp"

#include <type_traits>

#include "core/gpu/library.hpp"

#if !defined(BANZUKE_HIP) && __has_include(<cusparse.h>)
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#endif

namespace banzuke::gpu {

#ifdef BANZUKE_HIP

struct Sparse::Impl {
  std::string name{}, path{};
};

Sparse::Sparse(const Stream&) { throw Error("rocSPARSE is not called yet: choose another format"); }
Sparse::~Sparse() = default;

std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseCsr&, CsrMethod, DevicePointer<const double>,
                                                 DevicePointer<double>) const {
  return nullptr;
}
std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseSell&, DevicePointer<const double>,
                                                 DevicePointer<double>) const {
  return nullptr;
}

const std::string& Sparse::name() const { return impl_->name; }
const std::string& Sparse::path() const { return impl_->path; }

#else

namespace cusparse {
namespace {

// Of cusparse.h: handles and descriptors are pointers, the others numbers.
using Handle = void*;
using Descriptor = void*;
constexpr int as_it_is = 0;  // CUSPARSE_OPERATION_NON_TRANSPOSE
constexpr int int32 = 2;     // CUSPARSE_INDEX_32I
constexpr int from_zero = 0;
constexpr int real64 = 1;  // CUDA_R_64F
constexpr int sell_method = 5;
constexpr double one = 1.0;
constexpr double zero = 0.0;

using MakeCsr = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, const void*, int,
                    int, int, int);
using MakeSell = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, const void*,
                     const void*, const void*, int, int, int, int);
using MakeVector = int(Descriptor*, std::int64_t, void*, int);
using Destroy = int(Descriptor);
using Multiply = int(Handle, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int, void*);
using Measure = int(Handle, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int, std::size_t*);

void called(int status, const char* function) {
  if (status != 0) throw Error(std::string(function) + " failed with status " + std::to_string(status));
}

// What the library knows of a matrix or a vector.
class Described {
 public:
  template <class... Parameters, class... Arguments>
  Described(const char* name, int (*make)(Descriptor*, Parameters...), Destroy* destroy, Arguments... arguments)
      : destroy_(destroy) {
    called(make(&descriptor_, arguments...), name);
  }
  ~Described() { destroy_(descriptor_); }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;

  Descriptor get() const { return descriptor_; }

 private:
  Destroy* destroy_;
  Descriptor descriptor_ = nullptr;
};

Described vector(const Library& library, std::int64_t size, const double* start) {
  constexpr const char* make = "cusparseCreateDnVec";
  // Of x, which nothing writes to, too.
  return {make, library.get<MakeVector>(make), library.get<Destroy>("cusparseDestroyDnVec"),
          size, const_cast<double*>(start),    real64};
}

Described matrix(const Library& library, const SparseCsr& of) {
  constexpr const char* make = "cusparseCreateConstCsr";
  return {make,
          library.get<MakeCsr>(make),
          library.get<Destroy>("cusparseDestroySpMat"),
          of.shape.rows,
          of.shape.columns,
          of.shape.nonzeros,
          of.start.address(),
          of.column.address(),
          of.value.address(),
          int32,
          int32,
          from_zero,
          real64};
}

Described matrix(const Library& library, const SparseSell& of) {
  constexpr const char* make = "cusparseCreateConstSlicedEll";
  return {make,
          library.get<MakeSell>(make),
          library.get<Destroy>("cusparseDestroySpMat"),
          of.shape.rows,
          of.shape.columns,
          of.shape.nonzeros,
          of.stored,
          of.height,
          of.start.address(),
          of.column.address(),
          of.value.address(),
          int32,
          int32,
          from_zero,
          real64};
}

class Prepared : public Sparse::Product {
 public:
  template <class Matrix>
  Prepared(const Library& library, Handle handle, const Matrix& of, int method, DevicePointer<const double> x,
           DevicePointer<double> y)
      : handle_(handle),
        method_(method),
        multiply_(library.get<Multiply>("cusparseSpMV")),
        matrix_(matrix(library, of)),
        x_(vector(library, of.shape.columns, x.address())),
        y_(vector(library, of.shape.rows, y.address())),
        buffer_(needed(library)) {
    constexpr const char* preprocess = "cusparseSpMV_preprocess";
    called(library.get<Multiply>(preprocess)(handle_, as_it_is, &one, matrix_.get(), x_.get(), &zero, y_.get(), real64,
                                             method_, buffer_.data().address()),
           preprocess);
  }

  void queue() const override {
    called(multiply_(handle_, as_it_is, &one, matrix_.get(), x_.get(), &zero, y_.get(), real64, method_,
                     const_cast<std::byte*>(buffer_.data().address())),
           "cusparseSpMV");
  }

 private:
  std::size_t needed(const Library& library) const {
    constexpr const char* measure = "cusparseSpMV_bufferSize";
    std::size_t bytes = 0;
    called(library.get<Measure>(measure)(handle_, as_it_is, &one, matrix_.get(), x_.get(), &zero, y_.get(), real64,
                                         method_, &bytes),
           measure);
    return bytes;
  }

  Handle handle_;
  int method_;
  Multiply* multiply_;
  Described matrix_, x_, y_;
  DeviceBuffer<std::byte> buffer_;
};

#if __has_include(<cusparse.h>)
// Enumerations are passed as int, and handles as pointers.
template <class T>
using Passed = std::conditional_t<std::is_pointer_v<T>, void*, std::conditional_t<std::is_enum_v<T>, int, T>>;
template <class Function>
struct Passing;
template <class Value, class... Parameters>
struct Passing<Value(Parameters...)> {
  using Type = Passed<Value>(Passed<Parameters>...);
};
template <class A, class B>
inline constexpr bool called_alike = std::is_same_v<typename Passing<A>::Type, typename Passing<B>::Type>;

static_assert(called_alike<MakeCsr, decltype(cusparseCreateConstCsr)>);
static_assert(called_alike<MakeSell, decltype(cusparseCreateConstSlicedEll)>);
static_assert(called_alike<MakeVector, decltype(cusparseCreateDnVec)>);
static_assert(called_alike<Destroy, decltype(cusparseDestroySpMat)>);
static_assert(called_alike<Destroy, decltype(cusparseDestroyDnVec)>);
static_assert(called_alike<Multiply, decltype(cusparseSpMV)>);
static_assert(called_alike<Multiply, decltype(cusparseSpMV_preprocess)>);
static_assert(called_alike<Measure, decltype(cusparseSpMV_bufferSize)>);
static_assert(as_it_is == CUSPARSE_OPERATION_NON_TRANSPOSE && int32 == CUSPARSE_INDEX_32I && real64 == CUDA_R_64F);
static_assert(from_zero == CUSPARSE_INDEX_BASE_ZERO && sell_method == CUSPARSE_SPMV_SELL_ALG1);
static_assert(static_cast<int>(CsrMethod::first) == CUSPARSE_SPMV_CSR_ALG1);
static_assert(static_cast<int>(CsrMethod::second) == CUSPARSE_SPMV_CSR_ALG2);
#endif

}  // namespace
}  // namespace cusparse

struct Sparse::Impl {
  explicit Impl(const Stream& stream) {
    cusparse::called(library.get<int(cusparse::Handle*)>("cusparseCreate")(&handle), "cusparseCreate");
    cusparse::called(library.get<int(cusparse::Handle, void*)>("cusparseSetStream")(handle, stream.native()),
                     "cusparseSetStream");
    int number = 0;
    library.get<int(cusparse::Handle, int*)>("cusparseGetVersion")(handle, &number);  // 12603 is 12.6.3
    name = "cuSPARSE " + std::to_string(number / 1000) + "." + std::to_string(number / 100 % 10) + "." +
           std::to_string(number % 100);
  }
  ~Impl() { library.get<int(cusparse::Handle)>("cusparseDestroy")(handle); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Library library{"BANZUKE_CUSPARSE",
                  {"libcusparse.so.12", "libcusparse.so"},
                  "`pip install nvidia-cusparse` into the environment"};
  cusparse::Handle handle = nullptr;
  std::string name{};
};

Sparse::Sparse(const Stream& stream) : impl_(std::make_unique<Impl>(stream)) {}
Sparse::~Sparse() = default;

std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseCsr& matrix, CsrMethod method,
                                                 DevicePointer<const double> x, DevicePointer<double> y) const {
  return std::make_unique<cusparse::Prepared>(impl_->library, impl_->handle, matrix, static_cast<int>(method), x, y);
}

std::unique_ptr<Sparse::Product> Sparse::prepare(const SparseSell& matrix, DevicePointer<const double> x,
                                                 DevicePointer<double> y) const {
  return std::make_unique<cusparse::Prepared>(impl_->library, impl_->handle, matrix, cusparse::sell_method, x, y);
}

const std::string& Sparse::name() const { return impl_->name; }
const std::string& Sparse::path() const { return impl_->library.path(); }

#endif

}  // namespace banzuke::gpu
