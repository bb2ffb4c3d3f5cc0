// MKL's product after its own optimisation; the library is loaded at run time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/crs.hpp"

namespace banzuke::spmv {

class MklSparse {
 public:
  // Uses the library that BANZUKE_MKL names, or the loader's libmkl_rt, with the program's number of threads. Throws
  // std::runtime_error with advice if there is none, UsageError if the number of non-zeros exceeds 32 bits.
  explicit MklSparse(const Crs& matrix);
  ~MklSparse();
  MklSparse(const MklSparse&) = delete;
  MklSparse& operator=(const MklSparse&) = delete;

  void run(const double* x, double* y);
  // e.g. "MKL 2026.0".
  const std::string& library() const { return library_; }

 private:
  // The C interface of mkl_spblas.h with 32-bit integers.
  struct Handle;
  struct Description {
    int type;
    int mode;
    int diagonal;
  };
  using Create = int (*)(Handle**, int, int, int, int*, int*, int*, double*);
  using Hint = int (*)(Handle*, int, Description, int);
  using Act = int (*)(Handle*);
  using Multiply = int (*)(int, double, Handle*, Description, const double*, double, double*);

  Handle* handle_ = nullptr;  // null: no entries
  Multiply multiply_ = nullptr;
  Act destroy_ = nullptr;
  std::string library_;
  std::int64_t rows_;
  // MKL keeps pointers to these.
  std::vector<int> start_;
  std::vector<int> column_;
  std::vector<double> value_;
};

}  // namespace banzuke::spmv
