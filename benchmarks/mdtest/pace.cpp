#include "pace.hpp"

namespace banzuke::mdtest {

bool Pace::look(std::int64_t number) {
  constexpr double between = 0.5;  // seconds
  Interruption::check();
  const double time = now();
  if (time - told_ > between) {
    told_ = time;
    context_.progress(before_ + number, total_, static_cast<double>(number) / (time - begin_), "op/s");
  }
  return time >= deadline_;
}

}  // namespace banzuke::mdtest
