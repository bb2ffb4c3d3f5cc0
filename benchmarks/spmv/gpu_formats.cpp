#include "gpu_formats.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "core/gpu/timing.hpp"
#include "core/parameters.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {
namespace {

std::vector<GpuWay> ways_of(std::initializer_list<int> sharers, std::initializer_list<Loads> loads) {
  std::vector<GpuWay> all;
  for (const bool once : {true, false}) {
    for (const Loads how : loads) {
      for (const int number : sharers) all.push_back({number, how, once});
    }
  }
  return all;
}

class CsrOnDevice : public GpuFormat {
 public:
  CsrOnDevice(const Crs& matrix, const gpu::Stream& stream) : rows_(matrix, part_rows(matrix), stream) {}

  const std::vector<GpuWay>& ways() const override {
    static const std::vector<GpuWay> all = ways_of({2, 4, 8, 16, 32}, {Loads::few});
    return all;
  }
  void queue(const GpuWay& way, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
             const gpu::Stream& stream) const override {
    launch(rows_.pointers(), way, x, y, stream);
  }
  std::string name(const GpuWay& way) const override { return "csr, " + std::to_string(way.sharers) + " threads"; }
  double fill() const override { return 1.0; }

 private:
  PartsOnDevice rows_;
};

class SellOnDevice : public GpuFormat {
 public:
  SellOnDevice(const Crs& matrix, const SellLayout& layout, const gpu::Stream& stream)
      : SellOnDevice(matrix.rows, layout.fill, gpu_sell(matrix, layout), stream) {}

  const std::vector<GpuWay>& ways() const override {
    static const std::vector<GpuWay> all = ways_of({1, 2, 4, 8}, {Loads::few, Loads::many, Loads::ahead});
    return all;
  }
  void queue(const GpuWay& way, gpu::DevicePointer<const double> x, gpu::DevicePointer<double> y,
             const gpu::Stream& stream) const override {
    launch(pointers(), way, x, y, stream);
  }
  std::string name(const GpuWay& way) const override {
    const std::string shape = "sell " + std::to_string(gpu_chunk) + "-" + std::to_string(sigma_);
    return way.sharers == 1 ? shape : shape + ", " + std::to_string(way.sharers) + " warps";
  }
  double fill() const override { return fill_; }

 private:
  SellOnDevice(std::int64_t rows, double fill, const GpuSell& made, const gpu::Stream& stream)
      : rows_(rows),
        sigma_(made.sigma),
        fill_(fill),
        start_(gpu::on_device(made.start, stream)),
        row_(gpu::on_device(made.row, stream)),
        column_(gpu::on_device(made.column, stream)),
        value_(gpu::on_device(made.value, stream)),
        apart_(made.apart, made.parts, stream) {}

  DeviceSell pointers() const {
    return {static_cast<std::int64_t>(start_.size()) - 1,
            rows_,
            sigma_,
            start_.data(),
            row_.data(),
            {column_.data(), value_.data()},
            apart_.pointers()};
  }

  std::int64_t rows_, sigma_;
  double fill_;
  gpu::DeviceBuffer<std::int64_t> start_;
  gpu::DeviceBuffer<std::uint16_t> row_;
  gpu::DeviceBuffer<std::int32_t> column_;
  gpu::DeviceBuffer<double> value_;
  PartsOnDevice apart_;
};

}  // namespace

PartsOnDevice::PartsOnDevice(const Crs& matrix, const RowParts& made, const gpu::Stream& stream)
    : start_(gpu::on_device(made.start, stream)),
      row_(gpu::on_device(made.row, stream)),
      cut_(gpu::on_device(made.cut, stream)),
      arrived_(made.cut.size()),
      partial_(made.cut.empty() ? 0 : made.row.size()),
      column_(gpu::on_device(matrix.column, stream)),
      value_(gpu::on_device(matrix.value, stream)) {
  gpu::set_bytes(arrived_.data(), 0, arrived_.size(), stream);
}

DeviceParts PartsOnDevice::pointers() const {
  return {static_cast<std::int64_t>(start_.size()) - 1,
          start_.data(),
          row_.data(),
          cut_.data(),
          arrived_.data(),
          partial_.data(),
          {column_.data(), value_.data()},
          row_.size() > 0};
}

std::vector<std::unique_ptr<GpuFormat>> own_formats(const Crs& matrix, const std::string& format,
                                                    const gpu::Stream& stream) {
  std::vector<std::unique_ptr<GpuFormat>> found;
  if (format != "csr") {
    const SellLayout layout = sell_layout(matrix);
    if (layout.fill <= (format == "sell" ? most_fill : most_tried_fill)) {
      found.push_back(std::make_unique<SellOnDevice>(matrix, layout, stream));
    } else if (format == "sell") {
      throw UsageError("format: sell would store this matrix " + std::to_string(layout.fill) +
                       " times over; format=auto chooses one that suits it");
    }
  }
  if (format != "sell") found.push_back(std::make_unique<CsrOnDevice>(matrix, stream));
  return found;
}

GpuOwn::GpuOwn(const Crs& matrix, const std::string& format, const gpu::DeviceBuffer<double>& x,
               gpu::DeviceBuffer<double>& y, gpu::DeviceBuffer<std::byte>& cache, const gpu::Stream& stream)
    : stream_(stream), x_(x.data()), y_(y.data()), cache_(cache) {
  constexpr double clearly = 0.98;  // a later one must be clearly faster to be taken
  double least = std::numeric_limits<double>::infinity();
  for (auto& one : own_formats(matrix, format, stream)) {
    bool best = false;
    for (const GpuWay& way : one->ways()) {
      const double seconds = try_way(*one, way, least);
      if (seconds >= clearly * least) continue;
      least = seconds;
      way_ = way;
      best = true;
    }
    if (best) format_ = std::move(one);
  }
}

double GpuOwn::try_way(const GpuFormat& format, const GpuWay& way, double least) const {
  constexpr double long_enough = 200e-6;
  constexpr int few = 3;
  constexpr double most = 20.0;
  constexpr int batches = 3;
  constexpr double hopeless = 1.3;
  const gpu::Timer timer(stream_);
  const auto products = [&](int number) {
    timer.start();
    for (int i = 0; i < number; ++i) format.queue(way, x_, y_, stream_);
    return timer.stop() / number;
  };
  // What the previous kernel has left in the caches, and with which priority, must not matter.
  gpu::set_bytes(cache_.data(), 0, cache_.size(), stream_);
  products(few);
  double seconds = products(few);
  if (seconds > hopeless * least) return seconds;
  const auto number = static_cast<int>(std::clamp(long_enough / seconds, 1.0, most));
  for (int batch = 0; batch < batches; ++batch) seconds = std::min(seconds, products(number));
  return seconds;
}

}  // namespace banzuke::spmv
