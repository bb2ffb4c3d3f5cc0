// Products of a sparse matrix and a vector by the vendor's library, loaded at run time: cuSPARSE or rocSPARSE. Of the
// emulated device plain loops stand for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/gpu/runtime.hpp"

namespace banzuke::gpu {

struct SparseShape {
  std::int64_t rows, columns, nonzeros;  // none is 0, all are below 2^31
};

// Compressed rows.
struct SparseCsr {
  SparseShape shape;
  DevicePointer<const std::int32_t> start, column;
  DevicePointer<const double> value;
};

// Chunks of `height` rows, padded to the longest: entry k of a chunk's rows lie one after another.
struct SparseSell {
  SparseShape shape;
  std::int64_t height, stored;
  DevicePointer<const std::int32_t> start, column;  // of chunks; the column is -1 where there is no entry
  DevicePointer<const double> value;
};

enum class CsrMethod { first = 2, second = 3 };  // as both libraries number them

class Sparse {
 public:
  // y := A x with these arrays, which must outlive it.
  class Product {
   public:
    Product() = default;
    virtual ~Product() = default;
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;
    virtual void queue() const = 0;
  };

  // For products in this stream. The library is the one that BANZUKE_CUSPARSE or BANZUKE_ROCSPARSE names, else the
  // loader's. Throws Error with the loader's or the library's words.
  explicit Sparse(const Stream& stream);
  ~Sparse();
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;

  static bool takes_sell();

  // Prepares a product: the library looks at the matrix and takes memory of the device. This must outlive it.
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
