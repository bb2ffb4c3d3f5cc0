#include "timeline.hpp"

#include <algorithm>

namespace banzuke::ior {

void Timeline::widen() {
  for (std::size_t i = 0; i < intervals / 2; ++i) bytes_[i] = bytes_[2 * i] + bytes_[2 * i + 1];
  std::fill(bytes_.begin() + intervals / 2, bytes_.end(), 0.0);
  width_ *= 2.0;
}

}  // namespace banzuke::ior
