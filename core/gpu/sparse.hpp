// Sparse matrix-vector products by the vendor's library, loaded at run time: cuSPARSE or rocSPARSE. The emulated device
// uses plain loops instead.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/gpu/runtime.hpp"

namespace banzuke::gpu {

struct SparseShape {
  std::int64_t rows, columns, nonzeros;  // none is 0, all are below 2^31
};

// Compressed sparse rows.
struct SparseCsr {
  SparseShape shape;
  DevicePointer<const std::int32_t> start, column;
  DevicePointer<const double> value;
};

// Sliced ELL: chunks of `height` rows, padded to the longest; entries k of all rows of a chunk are contiguous.
struct SparseSell {
  SparseShape shape;
  std::int64_t height, stored;
  DevicePointer<const std::int32_t> start, column;  // start is by chunk; column is -1 for padding
  DevicePointer<const double> value;
};

enum class CsrMethod { first = 2, second = 3 };  // as numbered by both libraries

class Sparse {
 public:
  // y := A x with these arrays, which must outlive the object.
  class Product {
   public:
    Product() = default;
    virtual ~Product() = default;
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;
    virtual void queue() const = 0;
  };

  // Prepares products in this stream. The library is the one that BANZUKE_CUSPARSE or BANZUKE_ROCSPARSE names, else the
  // one that the loader finds. Throws Error with the loader's or the library's message.
  explicit Sparse(const Stream& stream);
  ~Sparse();
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;

  static bool takes_sell();

  // Prepares a product: the library analyses the matrix and allocates device memory. This object must outlive the
  // product.
  std::unique_ptr<Product> prepare(const SparseCsr& matrix, CsrMethod method, DevicePointer<const double> x,
                                   DevicePointer<double> y) const;
  std::unique_ptr<Product> prepare(const SparseSell& matrix, DevicePointer<const double> x,
                                   DevicePointer<double> y) const;

  const std::string& name() const;  // "cuSPARSE 12.6.3"
  const std::string& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace banzuke::gpu
