#include "bracket_body.hpp"

namespace banzuke::gkv {

constinit const Loops loops_plain = make_loops("two lanes");

}  // namespace banzuke::gkv
