// Compares the device's matrix with the plain loops, on cubes that do not fill chunks and thread blocks evenly.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.hpp"
#include "core/testing.hpp"
#include "geofem.hpp"
#include "gpu_matrix.hpp"
#include "matrix.hpp"
#include "testing.hpp"

namespace banzuke::geofem {
namespace {

constexpr double rounding = 1e-13;

// A cube's matrix on a device with this number of multiprocessors; the fewer, the more rows each has.
class OnDevice {
 public:
  OnDevice(const Triple& cube, const Ordering& ordering, int multiprocessors)
      : domain_(cube, {1, 1, 1}, 0),
        schedule_(graph_of(domain_), ordering, 1, chunk_rows),
        matrix_(only_rank(), domain_, schedule_, device(multiprocessors), stream_),
        sums_(static_cast<std::size_t>(matrix_.most_sums())) {}

  // Uploads values given by node; the inverse is below.
  gpu::DeviceBuffer<double> upload(const std::vector<double>& by_node) const {
    std::vector<double> values(static_cast<std::size_t>(matrix_.elements()));
    for (std::size_t i = 0; i < by_node.size(); ++i) values[place(i)] = by_node[i];
    return gpu::on_device(values, stream_);
  }
  std::vector<double> by_node(const gpu::DeviceBuffer<double>& from) const {
    std::vector<double> values(from.size());
    gpu::download(std::span(values), from, stream_);
    std::vector<double> out(static_cast<std::size_t>(3 * domain_.own()));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::exchange(values[place(i)], 0.0);
    for (const double other : values) EXPECT_EQ(other, 0.0);  // padding of chunks
    return out;
  }
  double total(std::int64_t blocks) const {
    std::vector<double> values(sums_.size());
    gpu::download(std::span(values), sums_, stream_);
    double sum = 0.0;
    for (std::int64_t i = 0; i < blocks; ++i) sum += values[static_cast<std::size_t>(i)];
    return sum;
  }

  DeviceMatrix& matrix() { return matrix_; }
  gpu::DevicePointer<double> sums() { return sums_.data(); }

 private:
  static gpu::DeviceInfo device(int multiprocessors) {
    gpu::DeviceInfo info;
    info.multiprocessors = multiprocessors;
    return info;
  }
  std::size_t place(std::size_t element) const {
    return static_cast<std::size_t>(place_of_row(schedule_.row[element / 3])) + element % 3 * chunk_rows;
  }

  Domain domain_;
  Schedule schedule_;
  gpu::Stream stream_;
  DeviceMatrix matrix_;
  gpu::DeviceBuffer<double> sums_;
};

// Cubes of one element, of two, and of odd numbers; few stages, which a product takes in turn, and many, which it does
// not; one, two and four threads for each row.
TEST(OnDevices, TheProductAndTheSweepAreThePlainLoops) {
  for (const Triple& cube : {Triple{2, 2, 2}, Triple{3, 2, 2}, Triple{7, 9, 11}, Triple{16, 2, 8}}) {
    const Domain domain(cube, {1, 1, 1}, 0);
    const Plain plain(domain);
    const auto x = numbers(3 * domain.own(), 1);
    const auto product = plain.multiply(x);
    for (const std::string name : {"mc", "rcm"}) {
      const Ordering ordering = order(graph_of(domain), name, 9);
      const auto answer = plain.precondition(x, stage_of_node(ordering));
      for (const int multiprocessors : {0, 1, 1000}) {
        OnDevice on(cube, ordering, multiprocessors);
        auto from = on.upload(x);
        auto to = on.upload({});
        auto blocks = on.matrix().multiply(from.data(), to.data(), on.sums());
        EXPECT_LT(difference(on.by_node(to), product), rounding) << name << ' ' << multiprocessors;
        EXPECT_NEAR(on.total(blocks), dot(x, product), rounding * dot(x, x));
        blocks = on.matrix().sweep(from.data(), to.data(), on.sums());
        EXPECT_LT(difference(on.by_node(to), answer), rounding) << name << ' ' << multiprocessors;
        EXPECT_NEAR(on.total(blocks), dot(x, answer), rounding * dot(answer, answer));
      }
    }
  }
}

TEST(OnDevices, ChunksAreFullWhereTheCubeIsLarge) {
  const Triple cube{24, 24, 24};
  OnDevice on(cube, order(graph_of(Domain(cube, {1, 1, 1}, 0)), "cm-rcm", 8), 1);
  EXPECT_GE(on.matrix().fill(), 1.0);
  EXPECT_LT(on.matrix().fill(), 1.03);
}

TEST(OnDevices, TakeNoMoreMemoryThanTheySay) {
  for (const std::string name : {"mc", "rcm", "cm-rcm"}) {
    for (const std::int64_t sweeps : {1, 2}) {
      Params params{.nx = 21, .ny = 12, .nz = 13, .ordering = name, .colours = 9, .sweeps = sweeps};
      const double said = problem(params, 1).device_footprint;
      OnDevice on(nodes_of(params), order(graph_of(Domain(nodes_of(params), {1, 1, 1}, 0)), name, 9), 1);
      const double vectors = (sweeps > 1 ? 7.0 : 5.0) * 8.0 * static_cast<double>(on.matrix().elements());
      EXPECT_LE(on.matrix().bytes() + vectors, said) << name;
      EXPECT_GE(on.matrix().bytes() + vectors, 0.5 * (said - 1e6)) << name;
    }
  }
}

TEST(OnDevices, HaveAFormatOfTheirOwn) {
  Params params;
  EXPECT_EQ(params.format, "sell");
  Parameters parameters;
  declare(parameters, params);
  EXPECT_THROW(parameters.set("format", "blocked"), UsageError);
}

}  // namespace
}  // namespace banzuke::geofem
