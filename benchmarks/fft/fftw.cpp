#include "library.hpp"

namespace banzuke::fft {
namespace {

const Candidate candidate{
    .name = "FFTW",
    .variable = "BANZUKE_FFTW",
    .files = {{"libfftw3.so.3", "libfftw3_omp.so.3"}, {"libfftw3.so.3", "libfftw3_threads.so.3"}},
    .remedy = "install it with its threads (Debian: libfftw3-double3) or load its module",
};

}  // namespace
}  // namespace banzuke::fft

#include "library_fft.hpp"
