// The matrix in device memory, row-major as on the processors; a column-major library sees its transpose. Panels are
// copied to the processors for factorisation and back while the device updates the rest. What exceeds the memory of one
// device is in host memory (gpu_slabs.hpp).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/gpu/blas.hpp"
#include "core/gpu/choose.hpp"
#include "gpu_device_panel.hpp"
#include "gpu_launches.hpp"
#include "gpu_panel.hpp"
#include "gpu_rows.hpp"
#include "gpu_slabs.hpp"
#include "gpu_spans.hpp"
#include "store.hpp"

namespace banzuke::hpl {

class GpuStore : public Store {
 public:
  GpuStore(const Params& params, const Grid& grid);

  const Distribution& distribution() const override { return of_; }
  void generate() override;
  void prepare(PanelFactorization& factorization) override;
  void fill(const std::function<double(std::int64_t, std::int64_t)>& element) override;
  bool queues() const override { return true; }

  Panel& panel(int number) override { return sides_.at(static_cast<std::size_t>(number)).panel; }
  void fetch(Panel& panel) override;
  void factorise(Panel& panel, PanelFactorization& factorization, Profile& profile) override;
  std::span<double> message(Panel& panel) override;
  void arrived(Panel& panel) override;
  void take(const Panel& panel) override;

  void start_exchange(int part, const Panel& panel, std::int64_t begin, std::int64_t end) override;
  void finish_exchange(int part) override;
  void poll_exchanges() override;
  double update(const Panel& panel, int part, std::int64_t begin, std::int64_t end, int looks,
                const std::function<void()>& poll) override;
  void wait() override { stream_.wait(); }
  void finish(Profile& profile) override;

  void subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x,
                       std::span<double> sides) override;
  Block block(std::int64_t row, std::int64_t column, std::int64_t width) override;
  std::vector<double> row_sums(std::span<const double> x) override;

  Json::Object software() const override { return {{"blas", blas_.name()}, {"blas_path", blas_.path()}}; }
  Json::Object conditions() const override;
  std::vector<double> device_seconds() const override;
  std::vector<Verification> checks() const override;

 private:
  // A panel on both sides, with events for its transfers.
  struct Sides {
    Sides(std::int64_t rows, std::int64_t nb);

    gpu::PinnedBuffer<double> memory;
    Panel panel;
    gpu::DeviceBuffer<double> numbers;  // as the panel's message
    gpu::PinnedBuffer<std::int64_t> moves_memory;
    gpu::DeviceBuffer<std::int64_t> moves;  // sources of U's rows, 0 to nb - 1, then displaced rows, then their targets
    std::int64_t displaced = 0;
    bool on_device = false;             // the factors
    gpu::DeviceBuffer<double> inverse;  // of L1, row-major
    gpu::Event gathered, fetched, taken, used, stored;
  };

  Sides& sides(const Panel& panel) { return &panel == &sides_[0].panel ? sides_[0] : sides_[1]; }
  GpuRows* exchange(int part) { return exchanges_.at(static_cast<std::size_t>(part)).get(); }
  static gpu::DevicePointer<double> on_device(Sides& of, const double* number);
  Factors factors(Sides& of);
  void write_moves(Sides& of) const;
  void gather(Sides& of);
  void copy_to_host(Sides& of);
  double probe(Panel& panel, PanelFactorization& factorization);
  // The part of the matrix with this local column, which is on the device.
  Area area(std::int64_t column) { return slabs_ && column < rest_.begin ? slabs_->area(column) : rest_; }
  std::int64_t columns_of(const Area& area, std::int64_t begin, std::int64_t end) const;
  DeviceMatrix brought(const Area& area, std::int64_t begin);
  void bring_rows(const Factors& panel, const Area& area, std::int64_t begin, std::int64_t end);
  void solve_and_subtract(const Factors& panel, const Area& area, const DeviceMatrix& u, std::int64_t begin,
                          std::int64_t end);
  void apply(const Factors& panel, const Area& area, std::int64_t begin, std::int64_t end);

  Distribution of_;
  std::int64_t nb_;
  gpu::DeviceInfo device_ = gpu::use_given();
  Streaming how_;
  gpu::Stream stream_;                        // for all work on the matrix
  gpu::Stream copies_{gpu::Priority::first};  // for copies of panels and work on them
  gpu::Blas blas_{stream_};
  gpu::Blas panel_blas_{copies_};
  gpu::DeviceBuffer<double> numbers_;
  Area rest_;                       // the columns that are on the device throughout: without slabs, all
  gpu::DeviceBuffer<double> rows_;  // rows that become U, as taken from the matrix
  gpu::DeviceBuffer<double> x_;
  gpu::DeviceBuffer<std::int64_t> blocks_;  // first columns of the local blocks
  gpu::PinnedBuffer<double> block_, right_;
  std::array<Sides, 2> sides_;
  std::array<std::unique_ptr<GpuRows>, 2> exchanges_;  // for the two parts of the columns; none with one process row
  std::optional<GpuPanel> parts_;                      // for panels that the host factorises part by part
  std::optional<DevicePanel> device_panel_;            // with one process row, unless the host is to do it
  std::string panel_;                                  // auto, host or device
  bool panels_on_device_;
  bool direct_;                     // panels are sent and received in device memory
  std::array<double, 2> probed_{};  // seconds of a panel on the host and on the device; 0: not probed
  gpu::DeviceBuffer<double> u_;     // on process rows without the diagonal block
  Spans spans_;
  std::unique_ptr<Slabs> slabs_;  // the other columns
  Spans::Seconds spent_{};
  std::int64_t taken_ = 0;  // panels
  double flops_ = 0.0;      // of the products with L2
};

}  // namespace banzuke::hpl
