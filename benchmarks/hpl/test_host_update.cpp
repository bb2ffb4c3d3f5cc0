#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "test_library.hpp"
#include "testing.hpp"
#include "update.hpp"

namespace banzuke::hpl {
namespace {

// Small whole numbers, so that sums are exact in any order.
double whole(std::int64_t i, std::int64_t j) {
  return static_cast<double>(mix(static_cast<std::uint64_t>(i) * mix_step + static_cast<std::uint64_t>(j)) >> 61U) -
         3.0;
}

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t width;
};

void expect_update(const Update& update, const Shape& shape, int looks) {
  const std::int64_t rows = shape.rows;
  const std::int64_t columns = shape.columns;
  const std::int64_t width = shape.width;
  const std::int64_t above = width;  // rows of the diagonal block come before the trailing ones
  const std::int64_t ldu = columns + 5;
  const std::int64_t ldc = columns + 3;
  Panel panel(above + rows, width);
  panel.shape(0, width, above + rows);
  for (std::int64_t i = 0; i < width; ++i) {
    for (std::int64_t j = 0; j < width; ++j) panel.l1()[i * width + j] = std::clamp(whole(i, j), -1.0, 1.0);
    for (std::int64_t row = 0; row < rows; ++row) panel.body()[i * panel.ld() + above + row] = whole(row, i);
  }
  std::vector<double> u(index(width * ldu), 77.0);
  std::vector<double> c(index(rows * ldc), 88.0);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < columns; ++j) c[index(row * ldc + j)] = whole(row, j + 7);
  }
  auto expected_u = u;
  auto expected_c = c;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < width; ++i) {
      double& value = expected_u[index(i * ldu + j)];
      value = whole(i, j);
      for (std::int64_t m = 0; m < i; ++m) value -= panel.l1()[i * width + m] * expected_u[index(m * ldu + j)];
    }
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < width; ++i) {
      const double factor = panel.body()[i * panel.ld() + above + row];
      for (std::int64_t j = 0; j < columns; ++j) {
        expected_c[index(row * ldc + j)] -= factor * expected_u[index(i * ldu + j)];
      }
    }
  }

  const Trailing trailing{.u = u.data(), .ldu = ldu, .c = c.data(), .ldc = ldc, .rows = rows, .columns = columns};
  std::vector<std::atomic<int>> prepared(index(columns));
  const auto prepare = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      ++prepared[index(j)];
      for (std::int64_t i = 0; i < width; ++i) u[index(i * ldu + j)] = whole(i, j);
    }
  };
  std::atomic<int> polled_elsewhere = 0;
  const auto poll = [&] {
    if (omp_get_thread_num() != 0) ++polled_elsewhere;
  };
  EXPECT_GE(update.run(panel, panel.body() + above, trailing, prepare, looks, poll), 0.0);
  EXPECT_EQ(polled_elsewhere, 0) << "only the main thread may call MPI";
  for (const auto& times : prepared) ASSERT_EQ(times, 1);
  ASSERT_EQ(u, expected_u) << rows << ' ' << columns << ' ' << width << ' ' << omp_get_max_threads();
  ASSERT_EQ(c, expected_c) << rows << ' ' << columns << ' ' << width << ' ' << omp_get_max_threads();
}

// Threads share strips of 256 columns and more, pieces of 128 rows and more.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{{0, 1, 1},     {0, 600, 4},   {1, 1, 6},      {3, 255, 2},
                                      {130, 256, 5}, {100, 513, 6}, {2500, 780, 3}, {6500, 1030, 6}};
  return all;
}

TEST_F(Library, UpdatesEveryElementOnceHoweverThreadsShareThem) {
  const Update update(places());
  for (const int threads : {1, 2, 3, 4}) {
    omp_set_num_threads(threads);
    for (const Shape& shape : shapes()) expect_update(update, shape, threads % 2 == 0 ? 0 : 24);
  }
}

TEST_F(Library, UpdatesAllWithFewerThreadsThanPromised) {
  const Update update(places());
  omp_set_num_threads(3);
#pragma omp parallel
#pragma omp single
  for (const Shape& shape : shapes()) expect_update(update, shape, 8);  // one thread: teams do not nest
}

}  // namespace
}  // namespace banzuke::hpl
