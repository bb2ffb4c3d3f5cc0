// Runs the bracket on all ranks that the launcher started. Exit status 1 if something is wrong; rank 0 names the case.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "bracket.hpp"

namespace banzuke::gkv {
namespace {

class Cases {
 public:
  explicit Cases(const Communicator& ranks) : ranks_(ranks) {}

  // The other kernels distribute v over the ranks. A rank that did not run has NaN.
  void velocities(Params params, const char* kernel) {
    params.kernel = kernel;
    params.nv = 2 * ranks_.size();
    problem(params, ranks_.size());
    Gkv gkv(params, ranks_);
    if (ranks_.rank() < ranks_.size() - 1) gkv.run();
    expect(!passed(gkv.check()), "a rank that left out its part is seen", params);
    gkv.run();
    expect(passed(gkv.check()), kernel, params);
  }

  void bracket(Params params) {
    params.kernel = "fft";
    problem(params, ranks_.size());
    Bracket bracket(params, ranks_);
    const Times times = bracket.run();
    expect(std::ranges::all_of(times.parts, [](double part) { return part >= 0.0; }), "times of parts", params);
    expect(times.overlapped >= 0.0 && (omp_get_max_threads() > 1 || times.overlapped == 0.0),
           "a thread alone does not work while it exchanges", params);
    expect(passed(bracket.check()), "bracket", params);
    // All ranks see an error of the last one.
    bracket.fill(Data::random);
    bracket.run();
    if (ranks_.rank() == ranks_.size() - 1) bracket.result()[0].re += 1e-7;
    expect(!bracket.check().front().passed(), "a wrong mode seen", params);
  }

  int failed() const { return failed_; }

 private:
  static bool passed(const std::vector<Verification>& checks) {
    return std::ranges::all_of(checks, [](const Verification& check) { return check.passed(); });
  }

  // Reports a failure on all ranks if `holds` is false on any.
  void expect(bool holds, const char* what, const Params& params) {
    if (ranks_.maximum(holds ? 0.0 : 1.0) == 0.0) return;
    ++failed_;
    if (ranks_.rank() != 0) return;
    std::printf("FAILED %s; nx %lld, ny %lld, nz %lld, nm %lld, %d threads\n", what, static_cast<long long>(params.nx),
                static_cast<long long>(params.ny), static_cast<long long>(params.nz), static_cast<long long>(params.nm),
                omp_get_max_threads());
  }

  const Communicator& ranks_;
  int failed_ = 0;
};

}  // namespace
}  // namespace banzuke::gkv

int main(int argc, char** argv) {
  using namespace banzuke::gkv;
  const banzuke::Communicator ranks(argc, argv);
  try {
    Cases cases(ranks);
    // ky and (z, m) in equal blocks, and in blocks of which those of the last ranks have less.
    const int size = ranks.size();
    for (const int threads : {1, 2, 4}) {
      omp_set_num_threads(size <= 3 ? threads : std::min(threads, 2));
      cases.bracket({.nx = 3, .ny = size - 1 + (size == 1 ? 1 : 0), .nz = size, .nv = 1, .nm = 2});
      cases.bracket({.nx = 5, .ny = 3 * size - 2 + (size == 1 ? 3 : 0), .nz = (size + 1) / 2, .nv = 2, .nm = 4});
    }
    for (const char* kernel : {"intgrl", "diff45", "diff123"}) {
      for (const char* variant : {"default", "opt"}) {
        cases.velocities({.variant = variant, .nx = 3, .ny = 2, .nz = 3, .nm = 2}, kernel);
      }
    }
    return cases.failed() == 0 ? 0 : 1;
  } catch (const std::exception& error) {  // the other ranks wait for this one
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), error.what());
    ranks.abort(1);
  }
}
