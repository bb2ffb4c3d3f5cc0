// Runs every operation in both modes on all ranks that the launcher started. Exit status 1 if something is wrong; rank
// 0 names the cases and the ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "collectives.hpp"

namespace {

int barriers = 0;  // calls since it was last set to 0

}  // namespace

// By MPI's profiling interface, this is called in place of the library's function.
int MPI_Barrier(MPI_Comm communicator) {
  ++barriers;
  return PMPI_Barrier(communicator);
}

namespace banzuke::collectives {
namespace {

constexpr std::int64_t largest = 20'000;
constexpr std::array<std::int64_t, 3> tried{1, 1001, largest};

class Cases {
 public:
  explicit Cases(const Communicator& ranks) : ranks_(ranks) {}

  void run(const Params& params) {
    Collective collective(params, largest, ranks_);
    const std::string name = params.operation + ", " + params.mode;
    if (params.operation == "barrier") {
      // Another rank is the late one each time.
      for (int i = 0; i < ranks_.size(); ++i) expect(collective.wrong(0, ++calls_) == 0, name + ", waits for all");
    } else {
      for (const std::int64_t size : tried) {
        expect(collective.wrong(size, ++calls_) == 0, name + ", " + std::to_string(size) + " B, data");
      }
    }
    constexpr int calls = 3;  // one of them warms up
    std::vector<double> seconds(calls - 1, -1.0);
    barriers = 0;
    collective.time(tried.front(), 1, seconds);
    // Then MPI_Barrier neither is the operation nor follows it.
    const bool alone = params.operation == "barrier" && !blocking(params);
    expect(barriers == (alone ? 1 : 1 + calls), name + ", barriers as in OSU's loop");
    expect(std::ranges::all_of(seconds, [](double x) { return x > 0.0; }), name + ", times");
    if (blocking(params)) return;
    constexpr double pure = 20e-6;
    barriers = 0;
    const Overlapped parts = collective.overlap(tried.front(), 1, pure, seconds);
    expect(barriers == 1 + calls, name + ", barriers as in OSU's loop with a computation");
    expect(parts.compute >= pure, name + ", computation");
    const double sum = 2.0 * (parts.start + parts.compute + parts.wait);
    const double overall = seconds[0] + seconds[1];
    expect(parts.start > 0.0 && parts.wait > 0.0 && std::abs(sum - overall) < 1e-9, name + ", parts of the time");
  }

  // Collective.
  bool passed() const {
    const auto texts = ranks_.gather(failed_);
    bool passed = true;
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      if (texts[rank].empty()) continue;
      passed = false;
      std::printf("FAILED on rank %zu:\n%s", rank, texts[rank].c_str());
    }
    return passed;
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds) failed_ += "  " + what + '\n';
  }

  const Communicator& ranks_;
  std::uint64_t calls_ = 0;
  std::string failed_;
};

}  // namespace
}  // namespace banzuke::collectives

int main(int argc, char** argv) {
  using namespace banzuke;
  using namespace banzuke::collectives;
  const Communicator ranks(argc, argv);
  Cases cases(ranks);
  for (const Shape& shape : shapes) {
    for (const char* mode : {"blocking", "non-blocking"}) cases.run({.operation = shape.name, .mode = mode});
  }
  return cases.passed() ? 0 : 1;
}
