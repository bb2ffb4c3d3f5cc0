// Compares one transform of n numbers on all threads with FFTW's, planned either way, and with MKL's, in turn: medians
// of five rounds, or of ROUNDS. A library that is not installed is left out.
// Usage: bench-fft-omp [LOG2_N [ROUNDS]].
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/paired.hpp"
#include "fft.hpp"
#include "fftw.hpp"
#include "library.hpp"
#include "mkl.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::fft;

struct Beside {
  std::string name;
  const Candidate& candidate;
  bool measure;
};

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = std::int64_t{1} << positive_argument(argc, argv, 1, 24);
  const int rounds = positive_argument(argc, argv, 2, 5);
  const Communicator ranks(argc, argv);
  bind_threads(allowed_cpus());
  Fft own({.n = n}, split(n, 1), ranks);
  own.fill();
  own.run();
  // All use the same arrays; the values do not matter.
  std::vector<Way> ways{{"own, " + own.method(), [&] { own.run(); }}};
  std::vector<std::unique_ptr<Library>> libraries;
  for (const Beside& beside :
       {Beside{"FFTW, estimate", fftw, false}, Beside{"FFTW, measure", fftw, true}, Beside{"MKL", mkl, false}}) {
    try {
      libraries.push_back(std::make_unique<Library>(beside.candidate, n, own.in(), own.out(), beside.measure));
    } catch (const std::runtime_error& error) {
      std::printf("%s is left out: %s\n", beside.name.c_str(), error.what());
      continue;
    }
    ways.push_back({beside.name, [&own, library = libraries.back().get()] { library->run(own.in(), own.out()); }});
  }
  own.fill();
  compare_ways(ways, rounds, work(n).counted, "Gflop/s");
}
