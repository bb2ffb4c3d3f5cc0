#include "bracket_body.hpp"

namespace banzuke::gkv {

constinit const Loops loops_avx2 = make_loops("AVX2");

}  // namespace banzuke::gkv
