// The standard dense-algebra interface, bound at run time to the library that measured fastest, so that one
// program serves every library and the choice needs no rebuild.
#pragma once

#include <string>
#include <vector>

namespace banzuke {

class Blas {
 public:
  // Loads the library at `path` for one thread per place (a set of processors). Threads that the library creates
  // are bound to the places; libraries built on OpenMP use the caller's team, which is there already.
  // Throws std::runtime_error with the loader's words.
  Blas(const std::string& path, const std::vector<std::vector<int>>& places);

  // Path of the library to use, from the variable BANZUKE_BLAS. Throws std::runtime_error when it is not set.
  static std::string chosen();

  // C := alpha A B + beta C; column-major; A is m x k, B is k x n. Blocks.
  void dgemm(int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb, double beta,
             double* c, int ldc) const {
    dgemm_(column_major, no_transpose, no_transpose, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }

  // e.g. "OpenBLAS 0.3.34 SkylakeX".
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  // Processors of each thread that the library started itself, read back, in list format.
  const std::vector<std::string>& own_threads() const { return own_threads_; }

 private:
  using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                         int);
  static constexpr int column_major = 102;  // the CBLAS interface's numbers
  static constexpr int no_transpose = 111;

  Dgemm dgemm_ = nullptr;
  std::string name_;
  std::string path_;
  std::vector<std::string> own_threads_;
};

}  // namespace banzuke
