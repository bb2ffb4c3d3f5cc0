#include "work.hpp"

namespace banzuke::noise {

// Returns the value after `steps` steps, by repeated doubling: two steps are one step with another multiplier and
// increment, a (a x + c) + c = a^2 x + (a + 1) c.
std::uint64_t jumped(std::uint64_t value, std::uint64_t steps) {
  std::uint64_t a = multiplier;
  std::uint64_t c = increment;
  for (; steps > 0; steps /= 2) {
    if (steps % 2 == 1) value = a * value + c;
    c *= a + 1;
    a *= a;
  }
  return value;
}

}  // namespace banzuke::noise
