// A matrix that exceeds its device's memory. The device holds the last columns throughout. The others are in host
// memory and come to it in slabs, from the left to the right, two of which it holds: one is being factorised; to the
// next the panels of earlier slabs are applied, whose factors stream from host memory.
//
// So each column sees the same operations in the same order as on a device that holds all of them. Only slabs are
// delayed (left-looking); the columns that stay are updated by each panel at once (right-looking), and hide the
// processors' factorisation of the next panel. Streaming all columns to the left or the right of a slab would take
// more transfers, or would leave little to hide the panels.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/array.hpp"
#include "core/gpu/runtime.hpp"
#include "core/json.hpp"
#include "gpu_launches.hpp"
#include "gpu_memory.hpp"
#include "panel.hpp"

namespace banzuke::hpl {

// Columns [begin, end) of the matrix on the device.
struct Area {
  std::int64_t begin;
  std::int64_t end;
  DeviceMatrix matrix;

  gpu::DevicePointer<double> at(std::int64_t row, std::int64_t column) const { return matrix.at(row, column - begin); }
};

// What an update takes of a panel, on the device.
struct Factors {
  std::int64_t first;
  std::int64_t width;
  gpu::DevicePointer<double> inverse;  // of L1, row-major
  gpu::DevicePointer<double> body;     // column-major
  std::int64_t ld;
  gpu::DevicePointer<std::int64_t> moves;  // sources of U's rows, then displaced rows, then their targets
  std::int64_t displaced;
};

class Slabs {
 public:
  // Queues the application of a panel to all columns of a slab.
  using Apply = std::function<void(const Factors& panel, const Area& slab)>;
  // All updates are in `stream`.
  Slabs(const Params& params, const Distribution& of, const Streaming& how, const gpu::Stream& stream, Apply apply);

  std::int64_t columns() const { return how_.columns; }
  // The slab with this column, which is on the device.
  Area area(std::int64_t column);

  // The matrix before the factorisation: made by the device, or row by row.
  void generate(ColumnBlocks blocks);
  void fill_row(std::int64_t row, std::span<const double> elements);
  // Brings the first slabs to the device.
  void begin();

  // Keeps what later slabs need of a panel once `taken` has happened, and its slab's part of U if it is the last;
  // `stored` happens when that is done.
  void keep(const Factors& panel, std::span<const std::int64_t> moves, const gpu::Event& taken,
            const gpu::Event& stored);
  // Applies the panel to the slab that begins behind it, after all earlier ones; that slab is then the current one.
  // Returns false if no slab begins there.
  bool enter(const Factors& panel);
  // Applies earlier panels to the next slab, in equal shares after each panel of the current slab, so that the device
  // has this to do while the processors factorise.
  void work_ahead(const Factors& panel);
  void finish() const { stores_.wait(); }

  // For back substitution: sides(i) -= (row + i of U) x in columns from `later` on that are in host memory.
  void subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x, std::span<double> sides) const;
  const double* at(std::int64_t row, std::int64_t column) const;
  std::int64_t ld() const { return ld_; }

  Json::Object conditions() const;

 private:
  struct Slab {
    Slab(std::int64_t begin, std::int64_t end, std::int64_t count);

    std::int64_t begin;
    std::int64_t end;
    Array<double> numbers;
    gpu::Pinning pinning;
  };
  // A panel's factors in host memory.
  struct Kept {
    gpu::PinnedPointer<double> factors;
    std::int64_t displaced = 0;
    gpu::Event stored{};
  };
  // Factors on their way to the device, or there.
  struct Arriving {
    Arriving(std::size_t numbers, std::size_t moves) : factors(numbers), moves(moves) {}

    gpu::DeviceBuffer<double> factors;
    gpu::DeviceBuffer<std::int64_t> moves;
    gpu::Event arrived, used;
  };
  // The device's memory for every other slab.
  struct Place {
    explicit Place(std::size_t numbers) : numbers(numbers) {}

    gpu::DeviceBuffer<double> numbers;
    gpu::Event loaded, stored;
  };

  Slab& slab_of(std::int64_t column) { return slabs_[static_cast<std::size_t>(column / how_.slab)]; }
  Place& place(std::int64_t slab) { return places_[static_cast<std::size_t>(slab % 2)]; }
  std::span<std::int64_t> moves_of(std::int64_t panel);
  void load(std::int64_t number);
  void apply_kept(std::int64_t panel, std::int64_t slab);

  std::int64_t nb_;
  const Distribution& of_;
  Streaming how_;
  std::int64_t ld_;
  const gpu::Stream& stream_;
  Apply apply_;
  std::deque<Slab> slabs_;                // outlives what the streams have to do
  gpu::Stream loads_, stores_, factors_;  // slabs to the device; all to the host; factors to the device
  std::deque<Kept> kept_;                 // by panel
  gpu::PinnedBuffer<std::int64_t> moves_;
  std::array<Place, 2> places_;
  std::array<Arriving, 2> arriving_;
  std::size_t turn_ = 0;
  std::int64_t current_ = 0;  // slab
  std::int64_t applied_ = 0;  // number of panels that were applied to the next slab
  double loaded_ = 0.0;       // bytes
  double stored_ = 0.0;
  double preparing_ = 0.0;  // seconds, of host memory
};

}  // namespace banzuke::hpl
