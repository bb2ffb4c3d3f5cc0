#include "core/gpu/fft.hpp"

#include <algorithm>

#include "core/fft/batch.hpp"
#include "core/gpu/emulated/queue.hpp"

namespace banzuke::gpu {

struct Fft::Impl {
  Impl(const Stream& where, const std::vector<std::int64_t>& of) : stream(where), lengths(of) {
    for (const std::int64_t length : of) batches.emplace_back(length);
  }

  const Stream& stream;
  std::vector<std::int64_t> lengths;
  std::vector<fft::Batch> batches{};
  std::string name = "loops of the emulated device";
  std::string path{};
};

namespace {

// In-place transforms along one dimension, with elements `stride` apart in memory: up to eight columns at once.
void transform(const fft::Batch& batch, std::int64_t stride, std::int64_t all, fft::Complex* x) {
  const std::int64_t length = batch.size();
  std::vector<fft::Lanes> lanes(static_cast<std::size_t>(length));
  const fft::Kernels& kernels = fft::kernels();
  for (std::int64_t block = 0; block < all; block += length * stride) {
    for (std::int64_t column = 0; column < stride; column += fft::lanes) {
      const auto width = static_cast<int>(std::min<std::int64_t>(fft::lanes, stride - column));
      fft::Complex* first = x + block + column;
      kernels.load(first, stride, length, width, lanes.data());
      batch.run(kernels, lanes.data());
      kernels.store(lanes.data(), batch.place(), length, width, stride, first, false);
    }
  }
}

}  // namespace

Fft::Fft(const Stream& stream, const std::vector<std::int64_t>& lengths) : impl_(make_hidden<Impl>(stream, lengths)) {}

void Fft::forward(DevicePointer<fft::Complex> in, DevicePointer<fft::Complex> out) const {
  emulated::queue(impl_->stream, [=, this] {
    std::int64_t all = 1;
    for (const std::int64_t length : impl_->lengths) all *= length;
    std::copy_n(in.address(), all, out.address());
    std::int64_t stride = all;
    for (const fft::Batch& batch : impl_->batches) {
      stride /= batch.size();
      transform(batch, stride, all, out.address());
    }
  });
}

std::size_t Fft::work_bytes() const { return 0; }
const std::string& Fft::name() const { return impl_->name; }
const std::string& Fft::path() const { return impl_->path; }

}  // namespace banzuke::gpu
