// rocSPARSE, loaded at run time. CSR products by two of its methods; it has no sliced ELL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/gpu/library.hpp"
#include "core/gpu/sparse.hpp"
#include "core/gpu/sparse_calls.hpp"

#if defined(BANZUKE_HIP) && __has_include(<rocsparse/rocsparse.h>)
#include <rocsparse/rocsparse.h>
#define BANZUKE_ROCSPARSE_HEADER
#endif

namespace banzuke::gpu::rocsparse {

using sparse_calls::called_alike;
using sparse_calls::Described;
using sparse_calls::Descriptor;
using sparse_calls::Destroy;
using sparse_calls::Handle;
using sparse_calls::one;
using sparse_calls::zero;

inline constexpr bool takes_sell = false;
// Values from rocsparse-types.h.
inline constexpr int as_it_is = 111;  // rocsparse_operation_none
inline constexpr int int32 = 2;       // rocsparse_indextype_i32
inline constexpr int from_zero = 0;
inline constexpr int real64 = 152;  // rocsparse_datatype_f64_r
enum Stage : int { buffer_size = 1, preprocess = 2, compute = 3 };

// rocSPARSE's version in ROCm 6.0. Before it, the product has no stages: called without a buffer, it returns the buffer
// size, and the first product analyses the matrix.
inline constexpr int stages_since = 300'000;

using MakeCsr = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int, int, int, int);
using MakeVector = int(Descriptor*, std::int64_t, void*, int);
using Multiply = int(Handle, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int, std::size_t*,
                     void*);
using MultiplyInStages = int(Handle, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int, int,
                             std::size_t*, void*);

// All functions that are called.
struct Functions {
  explicit Functions(const Library& of)
      : create(of.get<int(Handle*)>("rocsparse_create_handle")),
        destroy(of.get<int(Handle)>("rocsparse_destroy_handle")),
        set_stream(of.get<int(Handle, void*)>("rocsparse_set_stream")),
        get_version(of.get<int(Handle, int*)>("rocsparse_get_version")),
        make_csr(of.get<MakeCsr>("rocsparse_create_csr_descr")),
        destroy_matrix(of.get<Destroy>("rocsparse_destroy_spmat_descr")),
        make_vector(of.get<MakeVector>("rocsparse_create_dnvec_descr")),
        destroy_vector(of.get<Destroy>("rocsparse_destroy_dnvec_descr")),
        multiply(of.get<Multiply>("rocsparse_spmv")),
        multiply_in_stages(of.get<MultiplyInStages>("rocsparse_spmv")) {}

  int (*create)(Handle*);
  int (*destroy)(Handle);
  int (*set_stream)(Handle, void*);
  int (*get_version)(Handle, int*);
  MakeCsr* make_csr;
  Destroy* destroy_matrix;
  MakeVector* make_vector;
  Destroy* destroy_vector;
  Multiply* multiply;  // depending on the version, either this or the next
  MultiplyInStages* multiply_in_stages;
};

inline Library library() {
  return Library("BANZUKE_ROCSPARSE", {"librocsparse.so.1", "librocsparse.so.0", "librocsparse.so"},
                 "Install rocsparse");
}

class Prepared : public Sparse::Product {
 public:
  Prepared(const Functions& functions, Handle handle, int version, const SparseCsr& of, int method,
           DevicePointer<const double> x, DevicePointer<double> y)
      : functions_(functions),
        handle_(handle),
        in_stages_(version >= stages_since),
        method_(method),
        // Nothing writes to the matrix or to x.
        matrix_("rocsparse_create_csr_descr", functions.make_csr, functions.destroy_matrix, of.shape.rows,
                of.shape.columns, of.shape.nonzeros, const_cast<std::int32_t*>(of.start.address()),
                const_cast<std::int32_t*>(of.column.address()), const_cast<double*>(of.value.address()), int32, int32,
                from_zero, real64),
        x_("rocsparse_create_dnvec_descr", functions.make_vector, functions.destroy_vector, of.shape.columns,
           const_cast<double*>(x.address()), real64),
        y_("rocsparse_create_dnvec_descr", functions.make_vector, functions.destroy_vector, of.shape.rows, y.address(),
           real64),
        buffer_(needed()) {
    call(in_stages_ ? preprocess : compute, buffer_.bytes(), buffer_.data().address());
  }

  void queue() const override { call(compute, buffer_.bytes(), const_cast<std::byte*>(buffer_.data().address())); }

 private:
  std::size_t needed() const {
    const std::size_t bytes = call(buffer_size, 0, nullptr);
    return std::max(bytes, std::size_t{1});  // without a buffer it does not multiply
  }

  // Returns the size of the buffer, which the library reports if it gets none.
  std::size_t call(Stage stage, std::size_t bytes, void* buffer) const {
    const int status = in_stages_
                           ? functions_.multiply_in_stages(handle_, as_it_is, &one, matrix_.get(), x_.get(), &zero,
                                                           y_.get(), real64, method_, stage, &bytes, buffer)
                           : functions_.multiply(handle_, as_it_is, &one, matrix_.get(), x_.get(), &zero, y_.get(),
                                                 real64, method_, &bytes, buffer);
    called(status, "rocsparse_spmv");
    return bytes;
  }

  const Functions& functions_;
  Handle handle_;
  bool in_stages_;
  int method_;
  Described matrix_, x_, y_;
  DeviceBuffer<std::byte> buffer_;
};

class Opened {
 public:
  explicit Opened(const Stream& stream) {
    called(functions_.create(&handle_), "rocsparse_create_handle");
    called(functions_.set_stream(handle_, stream.native()), "rocsparse_set_stream");
    called(functions_.get_version(handle_, &version_), "rocsparse_get_version");  // 200303 is 2.3.3
    name_ = "rocSPARSE " + std::to_string(version_ / 100'000) + "." + std::to_string(version_ / 100 % 1000) + "." +
            std::to_string(version_ % 100);
  }
  ~Opened() { functions_.destroy(handle_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  std::unique_ptr<Sparse::Product> prepare(const SparseCsr& matrix, CsrMethod method, DevicePointer<const double> x,
                                           DevicePointer<double> y) const {
    return std::make_unique<Prepared>(functions_, handle_, version_, matrix, static_cast<int>(method), x, y);
  }
  std::unique_ptr<Sparse::Product> prepare(const SparseSell&, DevicePointer<const double>,
                                           DevicePointer<double>) const {
    throw Error("rocSPARSE has no product of sliced ELL");
  }
  const std::string& name() const { return name_; }
  const std::string& path() const { return library_.path(); }

 private:
  Library library_ = rocsparse::library();
  Functions functions_{library_};
  Handle handle_ = nullptr;
  int version_ = 0;
  std::string name_{};
};

#ifdef BANZUKE_ROCSPARSE_HEADER
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the second method has been renamed since
static_assert(called_alike<int(Handle*), decltype(rocsparse_create_handle)>);
static_assert(called_alike<int(Handle), decltype(rocsparse_destroy_handle)>);
static_assert(called_alike<int(Handle, void*), decltype(rocsparse_set_stream)>);
static_assert(called_alike<int(Handle, int*), decltype(rocsparse_get_version)>);
static_assert(called_alike<MakeCsr, decltype(rocsparse_create_csr_descr)>);
static_assert(called_alike<MakeVector, decltype(rocsparse_create_dnvec_descr)>);
static_assert(called_alike<Destroy, decltype(rocsparse_destroy_spmat_descr)>);
static_assert(called_alike<Destroy, decltype(rocsparse_destroy_dnvec_descr)>);
#if ROCSPARSE_VERSION_MAJOR >= 3
static_assert(called_alike<MultiplyInStages, decltype(rocsparse_spmv)>);
static_assert(buffer_size == rocsparse_spmv_stage_buffer_size && preprocess == rocsparse_spmv_stage_preprocess);
static_assert(compute == rocsparse_spmv_stage_compute);
#else
static_assert(called_alike<Multiply, decltype(rocsparse_spmv)>);
#endif
static_assert(as_it_is == rocsparse_operation_none && int32 == rocsparse_indextype_i32);
static_assert(from_zero == rocsparse_index_base_zero && real64 == rocsparse_datatype_f64_r);
static_assert(static_cast<int>(CsrMethod::first) == rocsparse_spmv_alg_csr_adaptive);
static_assert(static_cast<int>(CsrMethod::second) == rocsparse_spmv_alg_csr_stream);
#pragma GCC diagnostic pop
#endif

}  // namespace banzuke::gpu::rocsparse
