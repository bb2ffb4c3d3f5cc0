// Compares transforms on all ranks that the launcher started, in both orders, with the definition. Exit status 1 if
// something is wrong; rank 0 names the case.
#include <omp.h>

#include <cstdio>
#include <exception>
#include <numeric>
#include <string>

#include "core/fft/testing.hpp"
#include "fft.hpp"

namespace banzuke::fft {
namespace {

class Cases {
 public:
  explicit Cases(const Communicator& ranks) : ranks_(ranks) {}

  void transform(const Params& params) {
    const int sharing = fft::sharing(params, ranks_.size());
    const int transforms = at_once(params, ranks_.size());
    Fft fft(params, split(params.n, sharing), ranks_);
    const std::vector<Wide> known = transformed(numbers(params.n));
    const Order in = fft.in_order();
    for (std::int64_t i = 0; i < fft.size(); ++i) fft.in()[i] = number(in.index(i));
    fft.run();
    const Order out = fft.out_order();
    std::vector<Complex> found;
    std::vector<Wide> own;
    for (std::int64_t i = 0; i < fft.size(); ++i) {
      found.push_back(fft.out()[i]);
      own.push_back(known[static_cast<std::size_t>(out.index(i))]);
    }
    expect(relative_error(found, own) <= 1e-15, "transform", params);

    fft.fill();
    const Times times = fft.run();
    expect(sharing == 1 || times.parts.at(static_cast<std::size_t>(Part::exchange)) > 0.0, "time of exchanges", params);
    const double all = std::accumulate(times.parts.begin(), times.parts.end(), 0.0);
    const double work = all - times.parts.at(static_cast<std::size_t>(Part::exchange));
    expect(times.overlapped <= work && (sharing > 1 || times.overlapped == 0.0), "overlap is of work", params);
    expect(inverse_error(fft, ranks_, transforms) <= 1.0, "inverse", params);
    expect(pulse_error(fft, ranks_, 1, transforms) <= 1.0, "pulse", params);
    // All ranks see an error of the last one.
    fft.fill();
    fft.run();
    if (ranks_.rank() == ranks_.size() - 1) fft.out()[fft.size() - 1].re += 1e-13 * static_cast<double>(params.n);
    expect(inverse_error(fft, ranks_, transforms) > inverse_tolerance, "a wrong number seen", params);
  }

  int failed() const { return failed_; }

 private:
  // Reports a failure on all ranks if `holds` is false on any.
  void expect(bool holds, const char* what, const Params& params) {
    if (ranks_.maximum(holds ? 0.0 : 1.0) == 0.0) return;
    ++failed_;
    if (ranks_.rank() != 0) return;
    std::printf("FAILED %s; n %lld, %s order, %s stores, %d threads\n", what, static_cast<long long>(params.n),
                params.order.c_str(), params.stores.c_str(), omp_get_max_threads());
  }

  const Communicator& ranks_;
  int failed_ = 0;
};

}  // namespace
}  // namespace banzuke::fft

int main(int argc, char** argv) {
  using namespace banzuke::fft;
  const banzuke::Communicator ranks(argc, argv);
  try {
    Cases cases(ranks);
    if (ranks.size() > most_ranks) {
      const Params params{.n = 900};
      try {
        problem(params, ranks.size());
      } catch (const banzuke::UsageError&) {
        return 0;
      }
      return 1;
    }
    const std::int64_t square = std::int64_t{ranks.size()} * ranks.size();
    for (const std::int64_t inner : {2, 12, 30, 900}) {  // the last one is exchanged in pieces
      for (const int threads : {1, 2}) {
        for (const char* order : {"natural", "cyclic"}) {
          omp_set_num_threads(ranks.size() <= 2 ? threads : 1);
          cases.transform({.n = inner * square, .order = order, .stores = threads == 1 ? "plain" : "nontemporal"});
        }
      }
    }
    cases.transform({.n = 900, .transforms = "own"});  // of any length, because ranks share none
    return cases.failed() == 0 ? 0 : 1;
  } catch (const std::exception& error) {  // the other ranks wait for this one
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), error.what());
    ranks.abort(1);
  }
}
