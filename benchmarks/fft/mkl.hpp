#pragma once

#include "library.hpp"

namespace banzuke::fft {

inline constexpr Candidate mkl{
    .name = "MKL",
    .variable = "BANZUKE_MKL",
    .files = {{{"libmkl_rt.so.3"}, {"libmkl_rt.so.2"}, {"libmkl_rt.so"}}},
    .remedy = "install it, e.g. `pip install mkl`, and let BANZUKE_MKL be the path of its libmkl_rt.so",
    .own = "MKL_Get_Version_String",
};

}  // namespace banzuke::fft
