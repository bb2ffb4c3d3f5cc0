// cuSPARSE, loaded at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/gpu/library.hpp"
#include "core/gpu/sparse.hpp"
#include "core/gpu/sparse_calls.hpp"

#if __has_include(<cusparse.h>)
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#endif

namespace banzuke::gpu::cusparse {

using sparse_calls::called_alike;
using sparse_calls::Described;
using sparse_calls::Descriptor;
using sparse_calls::Destroy;
using sparse_calls::Handle;
using sparse_calls::one;
using sparse_calls::zero;

inline constexpr bool takes_sell = true;
// Values from cusparse.h.
inline constexpr int as_it_is = 0;  // CUSPARSE_OPERATION_NON_TRANSPOSE
inline constexpr int int32 = 2;     // CUSPARSE_INDEX_32I
inline constexpr int from_zero = 0;
inline constexpr int real64 = 1;  // CUDA_R_64F
inline constexpr int sell_method = 5;

using MakeCsr = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, const void*, int,
                    int, int, int);
using MakeSell = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, const void*,
                     const void*, const void*, int, int, int, int);
using MakeVector = int(Descriptor*, std::int64_t, void*, int);
using Multiply = int(Handle, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int, void*);
using Measure = int(Handle, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int, std::size_t*);

inline Described vector(const Library& library, std::int64_t size, const double* start) {
  constexpr const char* make = "cusparseCreateDnVec";
  // The library takes a mutable pointer for x, too, although nothing writes to x.
  return {make, library.get<MakeVector>(make), library.get<Destroy>("cusparseDestroyDnVec"),
          size, const_cast<double*>(start),    real64};
}

inline Described matrix(const Library& library, const SparseCsr& of) {
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

inline Described matrix(const Library& library, const SparseSell& of) {
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

class Opened {
 public:
  explicit Opened(const Stream& stream) {
    called(library_.get<int(Handle*)>("cusparseCreate")(&handle_), "cusparseCreate");
    called(library_.get<int(Handle, void*)>("cusparseSetStream")(handle_, stream.native()), "cusparseSetStream");
    int number = 0;
    library_.get<int(Handle, int*)>("cusparseGetVersion")(handle_, &number);  // 12603 is 12.6.3
    name_ = "cuSPARSE " + std::to_string(number / 1000) + "." + std::to_string(number / 100 % 10) + "." +
            std::to_string(number % 100);
  }
  ~Opened() { library_.get<int(Handle)>("cusparseDestroy")(handle_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  std::unique_ptr<Sparse::Product> prepare(const SparseCsr& matrix, CsrMethod method, DevicePointer<const double> x,
                                           DevicePointer<double> y) const {
    return std::make_unique<Prepared>(library_, handle_, matrix, static_cast<int>(method), x, y);
  }
  std::unique_ptr<Sparse::Product> prepare(const SparseSell& matrix, DevicePointer<const double> x,
                                           DevicePointer<double> y) const {
    return std::make_unique<Prepared>(library_, handle_, matrix, sell_method, x, y);
  }
  const std::string& name() const { return name_; }
  const std::string& path() const { return library_.path(); }

 private:
  Library library_{"BANZUKE_CUSPARSE",
                   {"libcusparse.so.12", "libcusparse.so"},
                   "`pip install nvidia-cusparse` into the environment"};
  Handle handle_ = nullptr;
  std::string name_{};
};

}  // namespace banzuke::gpu::cusparse
