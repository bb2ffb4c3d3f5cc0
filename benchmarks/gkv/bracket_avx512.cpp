#include "bracket_body.hpp"

namespace banzuke::gkv {

constinit const Loops loops_avx512 = make_loops("AVX-512");

}  // namespace banzuke::gkv
