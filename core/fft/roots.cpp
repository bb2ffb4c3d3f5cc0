#include "core/fft/roots.hpp"

#include <cmath>
#include <numbers>

namespace banzuke::fft {

Complex root(std::int64_t m, std::int64_t n) {
  // Splits off eighths of a turn exactly, and takes the remaining angle from the nearer end, where it is most accurate.
  const std::int64_t turn = m % n;
  const auto eighth = static_cast<int>(static_cast<__int128>(turn) * 8 / n);
  const auto past = static_cast<std::int64_t>(static_cast<__int128>(turn) * 8 - static_cast<__int128>(eighth) * n);
  const bool odd = eighth % 2 == 1;
  const long double angle = std::numbers::pi_v<long double> / 4 * static_cast<long double>(odd ? n - past : past) /
                            static_cast<long double>(n);
  const auto cos = static_cast<double>(std::cos(angle));
  const auto sin = static_cast<double>(std::sin(angle));
  const double x = odd ? sin : cos;  // x, y: cosine and sine of the angle past the last quarter turn
  const double y = odd ? cos : sin;
  switch (eighth / 2) {
    case 0:
      return {x, -y};
    case 1:
      return {-y, -x};
    case 2:
      return {-x, y};
    default:
      return {y, x};
  }
}

Roots::Roots(std::int64_t n) {
  while (std::int64_t{1} << (2 * shift_) < n) ++shift_;
  mask_ = (std::int64_t{1} << shift_) - 1;
  for (std::int64_t m = 0; m <= mask_; ++m) fine_.push_back(root(m, n));
  for (std::int64_t m = 0; m < n; m += mask_ + 1) coarse_.push_back(root(m, n));
}

}  // namespace banzuke::fft
