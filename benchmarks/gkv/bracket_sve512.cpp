#include "bracket_body.hpp"

namespace banzuke::gkv {

constinit const Loops loops_sve512 = make_loops("SVE, 512 bits");

}  // namespace banzuke::gkv
