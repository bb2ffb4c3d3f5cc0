// The BLAS interface, bound at run time to the library that measured fastest, so that one program works with every
// library and the choice needs no rebuild.
#pragma once

#include <string>
#include <vector>

namespace banzuke {

class Blas {
 public:
  // Loads the library at `path` for one thread per place (a set of processors). Threads that the library creates
  // are bound to the places; libraries built on OpenMP use the caller's existing team. With one place the library
  // starts no threads, and several threads may call it at once, each for its own part. Throws std::runtime_error with
  // the loader's message.
  Blas(const std::string& path, const std::vector<std::vector<int>>& places);

  // Path of the library to use, from the variable BANZUKE_BLAS. Throws std::runtime_error if it is not set.
  static std::string chosen();

  // C := alpha A B + beta C; column-major; A is m x k, B is k x n. Blocking.
  void dgemm(int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb, double beta,
             double* c, int ldc) const {
    dgemm_(column_major, no_transpose, no_transpose, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }

  // The two operations of an LU update, in row-major order. B := L^-1 B; L is m x m, unit lower triangular, B is m x n.
  void solve_unit_lower(int m, int n, const double* l, int ldl, double* b, int ldb) const {
    dtrsm_(row_major, left, lower, no_transpose, unit, m, n, 1.0, l, ldl, b, ldb);
  }
  // C := C - A^T B; A is k x m, B is k x n.
  void subtract_product(int m, int n, int k, const double* a, int lda, const double* b, int ldb, double* c,
                        int ldc) const {
    dgemm_(row_major, transpose, no_transpose, m, n, k, -1.0, a, lda, b, ldb, 1.0, c, ldc);
  }

  // e.g. "OpenBLAS 0.3.34 SkylakeX".
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  // Processors of each thread that the library itself started, as read back from the kernel, in list format.
  const std::vector<std::string>& own_threads() const { return own_threads_; }

 private:
  using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                         int);
  using Dtrsm = void (*)(int, int, int, int, int, int, int, double, const double*, int, double*, int);
  // Enumeration values of the CBLAS interface.
  static constexpr int row_major = 101;
  static constexpr int column_major = 102;
  static constexpr int no_transpose = 111;
  static constexpr int transpose = 112;
  static constexpr int lower = 122;
  static constexpr int unit = 132;
  static constexpr int left = 141;

  Dgemm dgemm_ = nullptr;
  Dtrsm dtrsm_ = nullptr;
  std::string name_;
  std::string path_;
  std::vector<std::string> own_threads_;
};

}  // namespace banzuke
