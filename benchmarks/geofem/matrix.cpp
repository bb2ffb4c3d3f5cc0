#include "matrix.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/team.hpp"
#include "factorise.hpp"

namespace banzuke::geofem {
namespace {

constexpr int per_block = 9;

// Where in a chunk value `i` of block `k` is, for the row in `lane`.
struct Place {
  int width;
  std::int64_t lane;
  std::int64_t value(std::int64_t k, int i) const { return (k * per_block + i) * width + lane; }
  std::int64_t column(std::int64_t k) const { return k * width + lane; }
};

}  // namespace

Crs graph_of(const Domain& domain) {
  Crs out;
  out.rows = out.columns = domain.own();
  out.start.resize(static_cast<std::size_t>(domain.own()) + 1);
  const Triple begin = domain.position(0);
  const Triple last = domain.position(domain.own() - 1);
  // Returns the range of nodes along an axis that share an element with the one at `at`, itself included.
  const auto beside = [&](std::size_t axis, std::int64_t at) {
    return std::pair(std::max(begin[axis], at - 1), std::min(last[axis], at + 1));
  };
  const auto number = [&](std::size_t axis, std::int64_t at) {
    const auto [from, to] = beside(axis, at);
    return to - from + 1;
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < domain.own(); ++node) {
    const Triple here = domain.position(node);
    out.start[node + 1] = number(0, here[0]) * number(1, here[1]) * number(2, here[2]) - 1;
  }
  for (std::int64_t node = 0; node < domain.own(); ++node) out.start[node + 1] += out.start[node];
  out.column.resize(static_cast<std::size_t>(out.start.back()));
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < domain.own(); ++node) {
    const Triple here = domain.position(node);
    const auto [x0, x1] = beside(0, here[0]);
    const auto [y0, y1] = beside(1, here[1]);
    const auto [z0, z1] = beside(2, here[2]);
    std::int64_t k = out.start[node];
    for (std::int64_t z = z0; z <= z1; ++z) {
      for (std::int64_t y = y0; y <= y1; ++y) {
        const std::int64_t first = domain.index({x0, y, z});
        for (std::int64_t other = first; other <= first + x1 - x0; ++other) {
          if (other != node) out.column[k++] = static_cast<std::int32_t>(other);
        }
      }
    }
  }
  return out;
}

Matrix::Part::Part(std::vector<std::int64_t> starts, int width)
    : start(std::move(starts)),
      value(static_cast<std::size_t>(start.back() * per_block * width)),
      column(static_cast<std::size_t>(start.back() * width)) {}

Matrix::Counts::Counts(const Domain& domain, const Schedule& schedule, int width) {
  const Assembly assembly(domain);
  const std::int64_t chunks = schedule.rows() / width;
  lower.resize(chunks + 1);
  upper.resize(chunks + 1);
  std::vector<std::int32_t> outer_blocks(schedule.rows());
  double blocks = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : blocks)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int64_t r = chunk * width; r < (chunk + 1) * width; ++r) {
      const auto node = schedule.node[r];
      if (node < 0) continue;
      std::array<std::int64_t, 3> count{};
      const Row row = assembly.row(node);
      for (int i = 0; i < row.size; ++i) {
        if (i == row.diagonal) continue;
        const auto other = row.node[i];
        ++count[other >= domain.own() ? 2 : schedule.stage[other] < schedule.stage[node] ? 0 : 1];
      }
      lower[chunk + 1] = std::max(lower[chunk + 1], count[0]);
      upper[chunk + 1] = std::max(upper[chunk + 1], count[1]);
      outer_blocks[r] = static_cast<std::int32_t>(count[2]);
      blocks += row.size;
    }
  }
  there = blocks;
  for (std::int64_t r = 0; r < schedule.rows(); ++r) {
    if (outer_blocks[r] > 0) outer_row.push_back(static_cast<std::int32_t>(r));
  }
  const auto count = [&](std::int32_t r) { return outer_blocks[r]; };
  std::ranges::stable_sort(outer_row, {}, count);
  // Pad the last chunk by repeating a row; the repetition gets no blocks.
  while (outer_row.size() % width != 0) outer_row.push_back(outer_row.back());
  outer.push_back(0);
  for (std::size_t first = 0; first < outer_row.size(); first += width) {
    outer.push_back(outer.back() + count(outer_row[first + width - 1]));
  }
  for (auto& r : outer_row) r *= 3;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    lower[chunk + 1] += lower[chunk];
    upper[chunk + 1] += upper[chunk];
  }
}

Matrix::Matrix(const Domain& domain, const Schedule& schedule, int width, double cache)
    : Matrix(domain, schedule, width, cache, Counts(domain, schedule, width)) {}

Matrix::Matrix(const Domain& domain, const Schedule& schedule, int width, double cache, Counts counts)
    : width_(width),
      lower_(std::move(counts.lower), width),
      upper_(std::move(counts.upper), width),
      outer_(std::move(counts.outer), width),
      diagonal_(static_cast<std::size_t>(schedule.rows() * per_block)),
      factor_(static_cast<std::size_t>(schedule.rows() * per_block)),
      outer_row_(std::move(counts.outer_row)),
      outer_chunks_(static_cast<std::int64_t>(outer_.start.size()) - 1),
      fill_(static_cast<double>((lower_.start.back() + upper_.start.back() + outer_.start.back()) * width +
                                schedule.rows()) /
            counts.there),
      cached_(lower_.bytes() + upper_.bytes() + outer_.bytes() + 16.0 * static_cast<double>(diagonal_.size()) <=
              cache) {
  const Assembly assembly(domain);
  // Stores the blocks of row `r` that belong to `part`. If its chunk has more slots, the others become zeros whose
  // column is the row itself.
  const auto put = [&](Part& part, std::int64_t chunk, std::int64_t lane, std::int64_t r, const Row& row,
                       auto belongs) {
    const Place place{width, lane};
    std::int64_t k = part.start[chunk];
    for (int i = 0; i < row.size; ++i) {
      if (!belongs(i)) continue;
      for (int v = 0; v < per_block; ++v) part.value[place.value(k, v)] = row.block[i][v];
      const auto other = row.node[i];
      const std::int64_t at = other < domain.own() ? schedule.row[other] : schedule.rows() + other - domain.own();
      part.column[place.column(k)] = static_cast<std::int32_t>(3 * at);
      ++k;
    }
    for (; k < part.start[chunk + 1]; ++k) {
      for (int v = 0; v < per_block; ++v) part.value[place.value(k, v)] = 0.0;
      part.column[place.column(k)] = static_cast<std::int32_t>(3 * r);
    }
  };
  const auto fill_inner = [&](std::int64_t r) {
    const std::int64_t chunk = r / width;
    const Place place{width, r % width};
    const auto node = schedule.node[r];
    const Row row = node < 0 ? Row{} : assembly.row(node);
    const auto lower = [&](int i) {
      return row.node[i] < domain.own() && schedule.stage[row.node[i]] < schedule.stage[node];
    };
    const auto upper = [&](int i) {
      return row.node[i] < domain.own() && schedule.stage[row.node[i]] > schedule.stage[node];
    };
    put(lower_, chunk, place.lane, r, row, lower);
    put(upper_, chunk, place.lane, r, row, upper);
    constexpr Block unit{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const Block diagonal = node < 0 ? unit : row.block[row.diagonal];
    Block factor = diagonal;
    factorise(factor.data());
    for (int v = 0; v < per_block; ++v) {
      diagonal_[place.value(chunk, v)] = diagonal[v];
      factor_[place.value(chunk, v)] = factor[v];
    }
  };
  const auto fill_outer = [&](std::int64_t i) {
    const std::int64_t r = outer_row_[i] / 3;
    const bool repeated = i > 0 && outer_row_[i - 1] == outer_row_[i];
    const Row row = repeated ? Row{} : assembly.row(schedule.node[r]);
    put(outer_, i / width, i % width, r, row, [&](int block) { return row.node[block] >= domain.own(); });
  };
#pragma omp parallel for schedule(static, 1) num_threads(schedule.threads)
  for (int thread = 0; thread < schedule.threads; ++thread) {
    for (auto r = Schedule::chunk * schedule.begin(thread); r < Schedule::chunk * schedule.end(thread); ++r) {
      fill_inner(r);
    }
    const auto [first, last] = share(0, outer_chunks_, thread, schedule.parts);
    for (auto i = first * width; i < last * width; ++i) fill_outer(i);
  }
}

Rows Matrix::rows() const {
  return {.lower = lower_.blocks(cached_),
          .upper = upper_.blocks(cached_),
          .diagonal = diagonal_.data(),
          .factor = factor_.data()};
}

Outer Matrix::outer() const { return {.blocks = outer_.blocks(cached_), .row = outer_row_.data()}; }

}  // namespace banzuke::geofem
