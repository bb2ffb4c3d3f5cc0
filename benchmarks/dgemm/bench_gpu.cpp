// Our timed call beside a direct call of the same library's function, as a user's program makes it: a handle, a stream,
// the function. Both by the device's clock.
// Usage: bench-dgemm-cuda [TURNS [ORDER...]]
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/gpu/beside.hpp"
#include "core/gpu/blas.hpp"
#include "core/gpu/timing.hpp"
#include "core/paired.hpp"
#include "dgemm.hpp"
#include "gpu_launches.hpp"

namespace {

using namespace banzuke;

using Handle = void*;
using Multiply = int (*)(Handle, int, int, int, int, int, const double*, const double*, int, const double*, int,
                         const double*, double*, int);

// The names that cuBLAS and rocBLAS have for the same.
struct Names {
  const char* create;
  const char* set_stream;
  const char* multiply;
  int no_transpose;
};
constexpr Names of_cublas{"cublasCreate_v2", "cublasSetStream_v2", "cublasDgemm_v2", 0};
constexpr Names of_rocblas{"rocblas_create_handle", "rocblas_set_stream", "rocblas_dgemm", 111};

// Queues C := C - A B. The handle lives as long as the program.
using Call = std::function<void(int n, const double* a, const double* b, double* c)>;

Call call_of(void* library, const gpu::Stream& stream) {
  const Names& names = dlsym(library, of_cublas.multiply) != nullptr ? of_cublas : of_rocblas;
  const auto create = reinterpret_cast<int (*)(Handle*)>(dlsym(library, names.create));
  const auto set_stream = reinterpret_cast<int (*)(Handle, void*)>(dlsym(library, names.set_stream));
  const auto multiply = reinterpret_cast<Multiply>(dlsym(library, names.multiply));
  Handle handle = nullptr;
  if (create == nullptr || set_stream == nullptr || multiply == nullptr || create(&handle) != 0 ||
      set_stream(handle, stream.native()) != 0) {
    throw gpu::Error("the library cannot be called directly");
  }
  return [=, plain = names.no_transpose](int n, const double* a, const double* b, double* c) {
    const double minus = -1.0;
    const double plus = 1.0;
    if (multiply(handle, plain, plain, n, n, n, &minus, a, n, b, n, &plus, c, n) != 0) {
      throw gpu::Error("the library's dgemm failed");
    }
  };
}

class Direct {
 public:
  explicit Direct(const dgemm::Params& params)
      : n_(static_cast<int>(params.n)), a_(elements()), b_(elements()), c_(elements()) {
    const std::int64_t size = params.n * params.n;
    dgemm::launch_fill(a_.data(), size, dgemm::matrix_a, stream_);
    dgemm::launch_fill(b_.data(), size, dgemm::matrix_b, stream_);
    dgemm::launch_fill(c_.data(), size, dgemm::matrix_c, stream_);
    stream_.wait();
    if (void* library = dlopen(blas_.path().c_str(), RTLD_NOW); !blas_.path().empty() && library != nullptr) {
      call_ = call_of(library, stream_);
    } else {  // the emulated device has no library to be loaded
      call_ = [this](int n, const double*, const double*, double*) {
        blas_.dgemm(n, n, n, -1.0, a_.data(), n, b_.data(), n, 1.0, c_.data(), n);
      };
    }
  }

  double run(int calls) {
    timer_.start();
    for (int i = 0; i < calls; ++i) call_(n_, a_.data().address(), b_.data().address(), c_.data().address());
    return timer_.stop();
  }
  std::vector<double> result() {
    std::vector<double> c(elements());
    gpu::download<double>(c, c_, stream_);
    return c;
  }
  const std::string& library() const { return blas_.name(); }

 private:
  std::size_t elements() const { return static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_); }

  int n_;
  gpu::Stream stream_;
  gpu::Timer timer_{stream_};
  gpu::Blas blas_{stream_};  // for its path and its name
  gpu::DeviceBuffer<double> a_, b_, c_;
  Call call_;
};

bool compare(int order, int turns) {
  const dgemm::Params params{.m = order, .n = order, .k = order};
  dgemm::Dgemm ours(params, {});
  Direct direct(params);
  std::int64_t calls_of_each = 2;
  ours.run();
  direct.run(1);
  // Short calls are queued one after another: a turn takes some milliseconds.
  constexpr double long_enough = 5e-3;
  constexpr int most = 1000;
  const double once = ours.run();
  direct.run(1);
  const int calls = static_cast<int>(std::min<double>(most, std::ceil(long_enough / std::max(once, 1e-9))));
  const std::vector<TimedWay> ways{{"ours",
                                    [&] {
                                      calls_of_each += calls;
                                      double seconds = 0.0;
                                      for (int i = 0; i < calls; ++i) seconds += ours.run();
                                      return seconds / calls;
                                    }},
                                   {"direct", [&] { return direct.run(calls) / calls; }}};
  const auto seconds = take_turns(ways, turns);
  const std::string subject = "dgemm, order " + std::to_string(order);
  auto pair = gpu::pair_of(subject, direct.library() + " called directly", seconds[0], seconds[1],
                           dgemm::work(params).counted, "flop/s");
  pair.more = {{"order", order}, {"calls", calls}};
  gpu::tell(pair, "dgemm");
  return gpu::right(subject + ", ours", dgemm::residual(params, calls_of_each, ours.result()), dgemm::tolerance) &&
         gpu::right(subject + ", the direct call", dgemm::residual(params, calls_of_each, direct.result()),
                    dgemm::tolerance);
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = positive_argument(argc, argv, 1, 7);
  std::vector<int> orders;
  for (int at = 2; at < argc; ++at) orders.push_back(positive_argument(argc, argv, at, 1));
  if (orders.empty()) orders = {2048, 4096, 8192, 16384};
  return gpu::run_beside([&] {
    bool all = true;
    for (const int order : orders) all = compare(order, turns) && all;
    return all;
  });
}
