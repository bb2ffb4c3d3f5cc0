// Compares our timed transforms, by our own kernels and by the library, with a direct call of the library as a user's
// program makes it (a plan, a stream, the function), and with two copies of the numbers in device memory, which move as
// many bytes as the fewest passes do. Our transforms whose roots are all from tables, and all computed, run beside
// them. All by the device's clock. Usage: bench-fft-cuda [TURNS [SIZE...]], or bench-fft-cuda TURNS passes. A size
// below 64 is the binary logarithm of a length; others are edges of cubes.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench_gpu_passes.hpp"
#include "core/gpu/beside.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/fft.hpp"
#include "core/gpu/timing.hpp"
#include "core/paired.hpp"
#include "fft.hpp"
#include "gpu_launches.hpp"
#include "gpu_own.hpp"

namespace {

using namespace banzuke;
using fft::Complex;

constexpr int kind = 0x69;  // complex, in double precision
constexpr int forwards = -1;

// Queues a transform. The plan is never destroyed.
using Call = std::function<void(Complex* in, Complex* out)>;

// Makes a call of cuFFT, whose plans are numbers; `edge` is 0 for one dimension.
Call call_of(void* library, const gpu::Stream& stream, std::int64_t n, std::int64_t edge) {
  const auto plan1 = reinterpret_cast<int (*)(int*, int, int, int)>(dlsym(library, "cufftPlan1d"));
  const auto plan3 = reinterpret_cast<int (*)(int*, int, int, int, int)>(dlsym(library, "cufftPlan3d"));
  const auto set_stream = reinterpret_cast<int (*)(int, void*)>(dlsym(library, "cufftSetStream"));
  const auto execute = reinterpret_cast<int (*)(int, Complex*, Complex*, int)>(dlsym(library, "cufftExecZ2Z"));
  int plan = 0;
  const auto length = static_cast<int>(edge == 0 ? n : edge);
  if (plan1 == nullptr || plan3 == nullptr || set_stream == nullptr || execute == nullptr ||
      (edge == 0 ? plan1(&plan, length, kind, 1) : plan3(&plan, length, length, length, kind)) != 0 ||
      set_stream(plan, stream.native()) != 0) {
    throw gpu::Error("the library cannot be called directly");
  }
  return [=](Complex* in, Complex* out) {
    if (execute(plan, in, out, forwards) != 0) throw gpu::Error("the library's transform failed");
  };
}

// Calls the library directly, our passes with roots of one kind, and copies, with arrays of its own.
class Direct {
 public:
  Direct(std::int64_t n, std::int64_t edge)
      : library_(stream_, edge == 0 ? std::vector{n} : std::vector(3, edge)),
        own_(n, edge == 0 ? 1 : 3, stream_),
        in_(static_cast<std::size_t>(n)),
        out_(in_.size()) {
    fill();
    void* const library = library_.path().empty() ? nullptr : dlopen(library_.path().c_str(), RTLD_NOW);
    if (library != nullptr && dlsym(library, "cufftPlan1d") != nullptr) {
      call_ = call_of(library, stream_, n, edge);
    } else {  // the emulated device has no library to load
      call_ = [this](Complex*, Complex*) { library_.forward(in_.data(), out_.data()); };
    }
  }

  // Times each call by itself, as ours are.
  double run(int calls) {
    double seconds = 0.0;
    for (int i = 0; i < calls; ++i) {
      timer_.start();
      call_(in_.data().address(), out_.data().address());
      seconds += timer_.stop();
    }
    return seconds;
  }
  // Whether our passes can compute their roots.
  bool has_kinds() {
    own_.use_computed(true);
    return own_.computed() > 0;
  }
  double run_own(int calls, bool computed) {
    own_.use_computed(computed);
    double seconds = 0.0;
    for (int i = 0; i < calls; ++i) {
      fill();
      timer_.start();
      own_.forward(in_.data(), out_.data());
      seconds += timer_.stop();
    }
    return seconds;
  }
  double copy_twice(int calls) {
    double seconds = 0.0;
    for (int i = 0; i < calls; ++i) {
      timer_.start();
      gpu::copy(out_.data(), in_.data(), in_.size(), stream_);
      gpu::copy(out_.data(), in_.data(), in_.size(), stream_);
      seconds += timer_.stop();
    }
    return seconds;
  }
  std::vector<Complex> result() {
    fill();
    run(1);
    return downloaded();
  }
  std::vector<Complex> own_result(bool computed) {
    run_own(1, computed);
    return downloaded();
  }
  const std::string& library() const { return library_.name(); }

 private:
  void fill() {
    fft::launch_fill(in_.data(), static_cast<std::int64_t>(in_.size()), stream_);
    stream_.wait();
  }
  std::vector<Complex> downloaded() {
    std::vector<Complex> out(out_.size());
    gpu::download<Complex>(out, out_, stream_);
    return out;
  }

  gpu::Stream stream_;
  gpu::Timer timer_{stream_};
  gpu::Fft library_;  // only for its path and name
  fft::OwnFft own_;
  gpu::DeviceBuffer<Complex> in_, out_;
  Call call_;
};

// Returns the largest difference, relative to the largest number.
double difference(const Complex* ours, const std::vector<Complex>& theirs) {
  double largest = 0.0;
  double size = 0.0;
  bool all = true;  // none is NaN
#pragma omp parallel for reduction(max : largest, size) reduction(&& : all)
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double off = std::max(std::abs(ours[i].re - theirs[i].re), std::abs(ours[i].im - theirs[i].im));
    all = all && !std::isnan(ours[i].re) && !std::isnan(ours[i].im);
    largest = std::max(largest, off);
    size = std::max({size, std::abs(theirs[i].re), std::abs(theirs[i].im)});
  }
  return all ? largest / size : std::nan("");
}

bool compare(int size, int turns) {
  constexpr int longest = 64;  // as a binary logarithm
  const bool cube = size >= longest;
  const std::int64_t edge = cube ? size : 0;
  const std::int64_t n = cube ? edge * edge * edge : std::int64_t{1} << static_cast<unsigned>(size);
  int count = 0;
  char** words = nullptr;
  static const Communicator ranks(count, words);
  const auto made = [&](const char* transform) {
    return std::make_unique<fft::Fft>(fft::Params{.n = n, .dimensions = cube ? 3 : 1, .transform = transform},
                                      fft::split(n, 1), ranks);
  };
  const auto own = made("own");
  const auto library = made("library");
  Direct direct(n, edge);
  for (auto* const one : {own.get(), library.get()}) {
    one->fill();
    one->run();
  }
  // Short calls are repeated so that a turn takes some milliseconds.
  constexpr double long_enough = 5e-3;
  constexpr int most = 1000;
  direct.run(1);
  const int calls = static_cast<int>(std::clamp(long_enough / std::max(direct.run(1), 1e-9), 1.0, 1.0 * most));
  const auto ours = [calls](fft::Fft& one) {
    double seconds = 0.0;
    for (int i = 0; i < calls; ++i) {
      one.fill();  // the previous transform overwrote it
      seconds += one.run().parts.front();
    }
    return seconds / calls;
  };
  std::vector<TimedWay> ways{{"own", [&] { return ours(*own); }},
                             {"library", [&] { return ours(*library); }},
                             {"direct", [&] { return direct.run(calls) / calls; }},
                             {"copies", [&] { return direct.copy_twice(calls) / calls; }}};
  const bool kinds = direct.has_kinds();
  if (kinds) {
    ways.push_back({"own, tables", [&] { return direct.run_own(calls, false) / calls; }});
    ways.push_back({"own, computed", [&] { return direct.run_own(calls, true) / calls; }});
  }
  const auto seconds = take_turns(ways, turns);
  const std::string subject = "FFT of " + (cube ? std::to_string(size) + "^3" : "2^" + std::to_string(size));
  const double flops = fft::work(n).counted;
  const auto tell = [&](std::size_t way, const std::string& whose, std::size_t other, const std::string& beside,
                        const std::string& goal) {
    auto pair = gpu::pair_of(subject + ", " + whose, beside, seconds[way], seconds[other], flops, "flop/s");
    pair.more = {{"n", n}, {"calls", calls}};
    gpu::tell(pair, goal);
  };
  const std::string called = direct.library() + " called directly";
  tell(0, "own", 2, called, "fft");
  tell(1, "library", 2, called, "fft library");
  tell(0, "own", 3, "two copies", "");
  tell(2, "direct", 3, "two copies", "");
  if (kinds) {
    tell(4, "own, roots from tables", 2, called, "");
    tell(5, "own, roots computed", 2, called, "");
  }
  // All transform the same numbers once more, for the check.
  bool right = true;
  const std::vector<Complex> known = direct.result();
  constexpr double bound = 1e-14;
  for (const bool computed : {false, true}) {
    if (!kinds) break;
    const std::vector<Complex> found = direct.own_result(computed);
    right = gpu::right(subject + (computed ? ", roots computed" : ", roots from tables"),
                       difference(found.data(), known), bound) &&
            right;
  }
  for (const auto& [name, one] : {std::pair{"own", own.get()}, {"library", library.get()}}) {
    one->fill();
    one->run();
    right =
        gpu::right(subject + ", " + name + ", against the direct call", difference(one->out(), known), bound) && right;
  }
  return gpu::right(subject + ", own, a pulse", fft::pulse_error(*own, ranks, cube ? 3 : 1), fft::pulse_tolerance) &&
         right;
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = positive_argument(argc, argv, 1, 7);
  if (argc > 2 && std::string(argv[2]) == "passes") return gpu::run_beside([&] { return fft::compare_passes(turns); });
  std::vector<int> sizes;
  for (int at = 2; at < argc; ++at) sizes.push_back(positive_argument(argc, argv, at, 1));
  const bool usual = sizes.empty();
  return gpu::run_beside([&] {
    if (usual) {
      sizes = {20, 24, 26, 256, 384, 512};
      constexpr std::size_t enough = std::size_t{60} << 30U;
      if (gpu::use_given().memory >= enough) sizes.insert(sizes.begin() + 3, 28);
    }
    bool all = true;
    for (const int size : sizes) all = compare(size, turns) && all;
    return all;
  });
}
