#include "core/gpu/fft.hpp"

#include "core/gpu/library.hpp"

namespace banzuke::gpu {
namespace {

// As in cufft.h and hipfft.h, which differ only in names: statuses and kinds are integers.
struct Names {
  const char* title;
  const char* create;
  const char* destroy;
  const char* set_stream;
  const char* make;
  const char* execute;
  const char* version;
  int per_major;  // increment of the version number per major version
};

#ifdef BANZUKE_HIP
using Plan = void*;
constexpr Names of_vendor{
    "hipFFT",           "hipfftCreate", "hipfftDestroy", "hipfftSetStream", "hipfftMakePlanMany64", "hipfftExecZ2Z",
    "hipfftGetVersion", 10000};

Library transforms() { return Library("BANZUKE_HIPFFT", {"libhipfft.so", "libhipfft.so.0"}, "Install hipfft"); }
#else
using Plan = int;
constexpr Names of_vendor{
    "cuFFT",           "cufftCreate", "cufftDestroy", "cufftSetStream", "cufftMakePlanMany64", "cufftExecZ2Z",
    "cufftGetVersion", 1000};

Library transforms() {
  return Library("BANZUKE_CUFFT", {"libcufft.so.12", "libcufft.so.11", "libcufft.so"},
                 "`pip install nvidia-cufft` into the environment");
}
#endif

constexpr int complex_double = 0x69;  // CUFFT_Z2Z
constexpr int forwards = -1;

using Make = int(Plan, int, long long*, long long*, long long, long long, long long*, long long, long long, int,
                 long long, std::size_t*);
using Execute = int(Plan, fft::Complex*, fft::Complex*, int);

// Returns name and version of the library; 12103 is 12.1.3.
std::string name_of(const Library& library) {
  int number = 0;
  library.get<int(int*)>(of_vendor.version)(&number);
  const int minor = number % of_vendor.per_major / 100;
  return std::string(of_vendor.title) + " " + std::to_string(number / of_vendor.per_major) + "." +
         std::to_string(minor) + "." + std::to_string(number % 100);
}

}  // namespace

struct Fft::Impl {
  Impl(const Stream& stream, const std::vector<std::int64_t>& lengths)
      : library(transforms()), transform(library.get<Execute>(of_vendor.execute)), name(name_of(library)) {
    called(library.get<int(Plan*)>(of_vendor.create)(&plan), of_vendor.create);
    called(library.get<int(Plan, void*)>(of_vendor.set_stream)(plan, stream.native()), of_vendor.set_stream);
    std::vector<long long> extents(lengths.begin(), lengths.end());
    // Contiguous layout, as given by the lengths.
    called(library.get<Make>(of_vendor.make)(plan, static_cast<int>(extents.size()), extents.data(), nullptr, 1, 0,
                                             nullptr, 1, 0, complex_double, 1, &work_bytes),
           of_vendor.make);
  }
  ~Impl() { library.get<int(Plan)>(of_vendor.destroy)(plan); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Library library;
  Execute* transform;
  std::string name;
  Plan plan{};
  std::size_t work_bytes = 0;
};

Fft::Fft(const Stream& stream, const std::vector<std::int64_t>& lengths) : impl_(make_hidden<Impl>(stream, lengths)) {}

void Fft::forward(DevicePointer<fft::Complex> in, DevicePointer<fft::Complex> out) const {
  called(impl_->transform(impl_->plan, in.address(), out.address(), forwards), of_vendor.execute);
}

std::size_t Fft::work_bytes() const { return impl_->work_bytes; }
const std::string& Fft::name() const { return impl_->name; }
const std::string& Fft::path() const { return impl_->library.path(); }

}  // namespace banzuke::gpu
