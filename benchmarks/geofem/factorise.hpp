// Factorisation of a diagonal block. constexpr, so that device kernels can call it, too.
#pragma once

namespace banzuke::geofem {

// LU of 3 x 3 values by rows, in place and without pivoting, because the blocks are symmetric positive definite. Pivots
// are stored inverted.
constexpr void factorise(double* a) {
  for (int k = 0; k < 3; ++k) {
    for (int i = k + 1; i < 3; ++i) {
      a[3 * i + k] /= a[4 * k];
      for (int j = k + 1; j < 3; ++j) a[3 * i + j] -= a[3 * i + k] * a[3 * k + j];
    }
  }
  for (int k = 0; k < 3; ++k) a[4 * k] = 1.0 / a[4 * k];
}

}  // namespace banzuke::geofem
