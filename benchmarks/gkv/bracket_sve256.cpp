#include "bracket_body.hpp"

namespace banzuke::gkv {

constinit const Loops loops_sve256 = make_loops("SVE, 256 bits");

}  // namespace banzuke::gkv
