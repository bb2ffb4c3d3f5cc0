// Complex transforms in double precision on a device by its vendor's library, loaded at run time: cuFFT or hipFFT. The
// emulated device uses the processor's transforms instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/fft/kernels.hpp"
#include "core/gpu/runtime.hpp"
#include "core/hidden.hpp"

namespace banzuke::gpu {

class Fft {
 public:
  // Plans transforms over all of these lengths, the last of which is contiguous, for this stream, which must outlive
  // the object. The library is the one that BANZUKE_CUFFT or BANZUKE_HIPFFT names, else the one that the loader finds.
  // Throws Error with the loader's or the library's message.
  Fft(const Stream& stream, const std::vector<std::int64_t>& lengths);

  // Queues out := sum over j of in[j] exp(-2 pi i j k / n); may overwrite `in`.
  void forward(DevicePointer<fft::Complex> in, DevicePointer<fft::Complex> out) const;

  std::size_t work_bytes() const;   // device memory that the plan takes
  const std::string& name() const;  // "cuFFT 12.0.0"
  const std::string& path() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::gpu
