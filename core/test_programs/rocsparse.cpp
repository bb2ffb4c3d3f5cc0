// A stand-in for rocSPARSE, with the functions that core/gpu/rocsparse.hpp calls, for tests without an AMD device: it
// multiplies in host memory, and rejects what the library would not accept. STAND_IN_VERSION decides whether its
// product has stages. BANZUKE_ROCSPARSE_FAILS names a function that fails with status 1.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

constexpr bool in_stages = STAND_IN_VERSION >= 300'000;
// rocsparse_status of rocsparse-types.h.
constexpr int success = 0;
constexpr int invalid_handle = 1;
constexpr int invalid_pointer = 3;
constexpr int invalid_value = 5;
constexpr int operation_none = 111;
constexpr int index_i32 = 2;
constexpr int real64 = 152;
constexpr int csr_adaptive = 2;
constexpr int csr_stream = 3;
constexpr std::size_t buffer_bytes = 40;

struct Handle {
  bool has_stream = false;
};
struct Matrix {
  std::int64_t rows, columns, nonzeros;
  const std::int32_t* start;
  const std::int32_t* column;
  const double* value;
  const void* prepared = nullptr;  // the buffer with the results of the analysis
};
struct Vector {
  std::int64_t size;
  double* values;
};

bool fails(std::string_view function) {
  const char* named = std::getenv("BANZUKE_ROCSPARSE_FAILS");
  return named != nullptr && function == named;
}

bool differs(const Matrix& matrix, const Vector& x, const Vector& y) {
  return x.size != matrix.columns || y.size != matrix.rows || matrix.start[matrix.rows] != matrix.nonzeros;
}

int multiply(const Handle* handle, int operation, const double* alpha, Matrix* matrix, const Vector* x,
             const double* beta, const Vector* y, int type, int method, int stage, std::size_t* size, void* buffer) {
  if (fails("rocsparse_spmv")) return 1;
  if (handle == nullptr || !handle->has_stream) return invalid_handle;
  if (operation != operation_none || type != real64 || (method != csr_adaptive && method != csr_stream)) {
    return invalid_value;
  }
  if (stage < 1 || stage > 3 || differs(*matrix, *x, *y)) return invalid_value;
  if (buffer == nullptr) {
    *size = buffer_bytes;
    return stage == 1 ? success : invalid_pointer;
  }
  if (stage == 1 || *size < buffer_bytes) return invalid_value;
  if (stage == 2 || !in_stages) matrix->prepared = buffer;
  if (stage == 2) return success;
  if (matrix->prepared != buffer) return invalid_pointer;
  for (std::int64_t row = 0; row < matrix->rows; ++row) {
    double sum = 0.0;
    for (std::int32_t k = matrix->start[row]; k < matrix->start[row + 1]; ++k) {
      sum += matrix->value[k] * x->values[matrix->column[k]];
    }
    y->values[row] = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * y->values[row]);
  }
  return success;
}

}  // namespace

extern "C" {

int rocsparse_create_handle(Handle** out) {
  if (fails("rocsparse_create_handle")) return 1;
  *out = new Handle;
  return success;
}

int rocsparse_destroy_handle(Handle* handle) {
  delete handle;
  return success;
}

int rocsparse_set_stream(Handle* handle, void* /*stream*/) {
  handle->has_stream = true;
  return success;
}

int rocsparse_get_version(Handle* /*handle*/, int* out) {
  *out = STAND_IN_VERSION;
  return success;
}

int rocsparse_create_csr_descr(Matrix** out, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                               void* start, void* column, void* value, int start_type, int column_type, int base,
                               int type) {
  if (fails("rocsparse_create_csr_descr")) return 1;
  if (start_type != index_i32 || column_type != index_i32 || base != 0 || type != real64) return invalid_value;
  *out = new Matrix{rows,
                    columns,
                    nonzeros,
                    static_cast<const std::int32_t*>(start),
                    static_cast<const std::int32_t*>(column),
                    static_cast<const double*>(value)};
  return success;
}

int rocsparse_destroy_spmat_descr(Matrix* matrix) {
  delete matrix;
  return success;
}

int rocsparse_create_dnvec_descr(Vector** out, std::int64_t size, void* values, int type) {
  if (type != real64) return invalid_value;
  *out = new Vector{size, static_cast<double*>(values)};
  return success;
}

int rocsparse_destroy_dnvec_descr(Vector* vector) {
  delete vector;
  return success;
}

#if STAND_IN_VERSION >= 300000
int rocsparse_spmv(Handle* handle, int operation, const void* alpha, Matrix* matrix, Vector* x, const void* beta,
                   Vector* y, int type, int method, int stage, std::size_t* size, void* buffer) {
  return multiply(handle, operation, static_cast<const double*>(alpha), matrix, x, static_cast<const double*>(beta), y,
                  type, method, stage, size, buffer);
}
#else
int rocsparse_spmv(Handle* handle, int operation, const void* alpha, Matrix* matrix, Vector* x, const void* beta,
                   Vector* y, int type, int method, std::size_t* size, void* buffer) {
  return multiply(handle, operation, static_cast<const double*>(alpha), matrix, x, static_cast<const double*>(beta), y,
                  type, method, buffer == nullptr ? 1 : 3, size, buffer);
}
#endif

}  // extern "C"
