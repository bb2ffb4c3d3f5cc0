#include "level.hpp"

#include <algorithm>

namespace banzuke::hpcg {
namespace {

std::vector<std::int64_t> chunk_cuts(const Layout& layout) {
  std::vector<std::int64_t> cuts;
  cuts.reserve(layout.first.size() + 1);
  for (const auto& first : layout.first) cuts.push_back(first.front());
  cuts.push_back(layout.first.back().back());
  return cuts;
}

}  // namespace

Level::Level(const SubCommunicator& ranks, const Matrix& matrix, const std::string& ordering, Team& team)
    : team_(team),
      layout_(stages_of(matrix.a, ordering), team.parts),
      halo_(
          ranks,
          [&] {
            auto neighbours = matrix.neighbours;
            for (auto& neighbour : neighbours) {
              for (auto& row : neighbour.send) row = place_of(row);
            }
            return neighbours;
          }(),
          layout_.chunks() * lanes),
      diagonal_(static_cast<std::size_t>(layout_.chunks() * lanes)),
      known_(diagonal_.size()),
      later_(diagonal_.size()) {
  const Crs& a = matrix.a;
  const auto local = [&](std::int32_t column) { return column < a.rows; };
  const auto cuts = chunk_cuts(layout_);
  const std::int64_t own = layout_.chunks() * lanes;
  lower_ = std::make_unique<Sell>(a, layout_.row, cuts, own, [&](std::int32_t row, std::int32_t column) {
    return local(column) && layout_.before(column, row) ? layout_.place_of(column) : -1;
  });
  upper_ = std::make_unique<Sell>(a, layout_.row, cuts, own, [&](std::int32_t row, std::int32_t column) {
    return local(column) && layout_.before(row, column) ? layout_.place_of(column) : -1;
  });
#pragma omp parallel for schedule(static, 1)
  for (int thread = 0; thread < team_.threads; ++thread) {
    const auto [from, to] = places(thread);
    for (std::int64_t place = from; place < to; ++place) {
      const std::int32_t row = layout_.row[place];
      diagonal_[place] = 1.0;
      known_[place] = later_[place] = 0.0;
      if (row < 0) continue;
      const auto columns = a.columns_of(row);
      const auto at = std::ranges::find(columns, row);
      diagonal_[place] = a.values_of(row)[static_cast<std::size_t>(at - columns.begin())];
    }
  }

  const auto rows_of = [&](std::int64_t chunk) {
    return std::span(layout_.row).subspan(static_cast<std::size_t>(chunk * lanes), lanes);
  };
  std::vector<char> at_edge(static_cast<std::size_t>(layout_.chunks()));
#pragma omp parallel for schedule(static)
  for (std::int64_t chunk = 0; chunk < layout_.chunks(); ++chunk) {
    // Columns ascend, the external ones last.
    at_edge[static_cast<std::size_t>(chunk)] = static_cast<char>(std::ranges::any_of(
        rows_of(chunk), [&](std::int32_t row) { return row >= 0 && !local(a.columns_of(row).back()); }));
  }
  slot_.assign(static_cast<std::size_t>(layout_.chunks()), -1);
  std::vector<std::int32_t> edge_rows;
  std::int32_t slots = 0;
  for (int thread = 0; thread < team_.threads; ++thread) {
    first_edge_.push_back(static_cast<std::int64_t>(edge_rows.size()) / lanes);
    for (std::int64_t chunk = cuts[thread]; chunk < cuts[thread + 1]; ++chunk) {
      if (at_edge[static_cast<std::size_t>(chunk)] == 0) continue;
      slot_[chunk] = slots++;
      for (std::int64_t place = chunk * lanes; place < (chunk + 1) * lanes; ++place) {
        const std::int32_t row = layout_.row[place];
        if (row < 0 || local(a.columns_of(row).back())) continue;
        edge_rows.push_back(row);
        edge_.push_back(static_cast<std::int32_t>(place));
      }
    }
    while (edge_rows.size() % lanes != 0) {
      edge_rows.push_back(-1);
      edge_.push_back(-1);
    }
  }
  first_edge_.push_back(static_cast<std::int64_t>(edge_rows.size()) / lanes);
  external_ = std::make_unique<Sell>(a, edge_rows, first_edge_, size(), [&](std::int32_t /*row*/, std::int32_t column) {
    return local(column) ? -1 : layout_.place_of(column);
  });
  edge_sums_.resize(edge_rows.size());
  sums_.resize(static_cast<std::size_t>(slots) * lanes);
}

double Level::bytes() const {
  return lower_->bytes() + upper_->bytes() + external_->bytes() + 24.0 * static_cast<double>(diagonal_.size());
}

std::pair<std::int64_t, std::int64_t> Level::places(int thread) const {
  const auto& first = layout_.first[static_cast<std::size_t>(thread)];
  return {first.front() * lanes, first.back() * lanes};
}

void Level::smooth_from_zero(int thread, const double* r, double* x) {
  const auto& first = layout_.first[static_cast<std::size_t>(thread)];
  const auto stages = static_cast<std::size_t>(layout_.stages());
  const Entries lower = lower_->entries();
  const Entries upper = upper_->entries();
  for (std::size_t stage = 0; stage < stages; ++stage) {
    team_.kernels.forward_from_zero(first[stage], first[stage + 1], lower, diagonal_.data(), r, x);
    team_.barrier.wait();
  }
  for (std::size_t stage = stages; stage-- > 0;) {
    team_.kernels.backward_from_zero(first[stage], first[stage + 1], upper, diagonal_.data(), later_.data(), x);
    team_.barrier.wait();
  }
}

void Level::multiply(int thread, double* x, double* y) {
  send(thread, x);
  const auto [from, to] = places(thread);
  // Long messages make progress only if MPI is called now and then.
  const int pieces = thread == 0 && halo_.external() > 0 ? 8 : 1;
  for (int piece = 0; piece < pieces; ++piece) {
    const auto [first, end] = share(from / lanes, to / lanes, piece, pieces);
    team_.kernels.multiply(first, end, lower_->entries(), upper_->entries(), diagonal_.data(), x, y);
    if (pieces > 1) halo_.move_on();
  }
  if (thread == 0) team_.profile.lap(Part::spmv);
  receive(thread, x, Part::spmv_halo);
  for (std::int64_t i = first_edge_[thread] * lanes; i < first_edge_[thread + 1] * lanes; ++i) {
    if (edge_[i] >= 0) y[edge_[i]] += edge_sums_[i];
  }
}

void Level::send(int thread, double* x) {
  if (thread == 0) halo_.start(x);
}

void Level::receive(int thread, const double* x, Part part) {
  if (thread == 0) {
    halo_.finish();
    team_.profile.lap(part);
  }
  team_.barrier.wait();
  team_.kernels.sum(first_edge_[thread], first_edge_[thread + 1], external_->entries(), x, edge_sums_.data());
  for (std::int64_t i = first_edge_[thread] * lanes; i < first_edge_[thread + 1] * lanes; ++i) {
    if (edge_[i] >= 0) sums_[slot_[edge_[i] / lanes] * lanes + edge_[i] % lanes] = edge_sums_[i];
  }
}

Transition::Transition(Level& fine, const Matrix& matrix, Level& coarse, const std::vector<std::int32_t>& rows,
                       Team& team)
    : team_(team), fine_(fine), coarse_(coarse) {
  const Layout& layout = coarse.layout();
  std::vector<std::int32_t> fine_row(layout.row.size(), -1);
  fine_place_.assign(layout.row.size(), -1);
  for (std::size_t place = 0; place < layout.row.size(); ++place) {
    if (layout.row[place] < 0) continue;
    fine_row[place] = rows[static_cast<std::size_t>(layout.row[place])];
    fine_place_[place] = fine.place_of(fine_row[place]);
  }
  const auto local = [&](std::int32_t column) { return column < matrix.a.rows; };
  earlier_ = std::make_unique<Sell>(
      matrix.a, fine_row, chunk_cuts(layout), fine.layout().chunks() * lanes,
      [&](std::int32_t row, std::int32_t column) {
        return local(column) && fine.layout().before(column, row) ? fine.layout().place_of(column) : -1;
      });
  std::vector<std::int32_t> coarse_place(static_cast<std::size_t>(matrix.a.rows), -1);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    coarse_place[static_cast<std::size_t>(rows[row])] = layout.place[row];
  }
  corrected_ = std::make_unique<Sell>(matrix.a, fine.layout().row, chunk_cuts(fine.layout()), layout.chunks() * lanes,
                                      [&](std::int32_t row, std::int32_t column) {
                                        const std::int32_t place =
                                            local(column) ? coarse_place[static_cast<std::size_t>(column)] : -1;
                                        return place >= 0 && fine.layout().before(row, column) ? place : -1;
                                      });
}

void Transition::restrict_residual(int thread, const double* r, double* x, double* right) {
  fine_.send(thread, x);
  const auto [from, to] = coarse_.places(thread);
  team_.kernels.sum(from / lanes, to / lanes, earlier_->entries(), x, right);
  if (thread == 0) team_.profile.lap(Part::mg);
  fine_.receive(thread, x, Part::mg_halo);
  team_.barrier.wait();  // another thread may own the fine row and its sums
  const Outside outside = fine_.outside();
  for (std::int64_t place = from; place < to; ++place) {
    const std::int32_t at = fine_place_[place];
    if (at < 0) continue;
    const std::int32_t slot = outside.slot[at / lanes];
    const double others = right[place] + fine_.later_[at] + (slot < 0 ? 0.0 : outside.sums[slot * lanes + at % lanes]);
    right[place] = r[at] - fine_.diagonal_[at] * x[at] - others;
  }
}

void Transition::correct_and_smooth(int thread, const double* r, const double* answer, double* x) {
  const auto [from, to] = coarse_.places(thread);
  for (std::int64_t place = from; place < to; ++place) {
    if (fine_place_[place] >= 0) x[fine_place_[place]] += answer[place];
  }
  team_.barrier.wait();
  if (thread == 0) team_.profile.lap(Part::mg);
  fine_.send(thread, x);
  fine_.receive(thread, x, Part::mg_halo);

  const auto& first = fine_.layout_.first[static_cast<std::size_t>(thread)];
  const auto stages = static_cast<std::size_t>(fine_.layout_.stages());
  const Entries lower = fine_.lower_->entries();
  const Entries upper = fine_.upper_->entries();
  const Entries corrected = corrected_->entries();
  const Sweep sweep{.d = fine_.diagonal_.data(),
                    .r = r,
                    .later = fine_.later_.data(),
                    .correction = answer,
                    .known = fine_.known_.data()};
  for (std::size_t stage = 0; stage < stages; ++stage) {
    team_.kernels.forward(first[stage], first[stage + 1], lower, corrected, fine_.outside(), sweep, x);
    team_.barrier.wait();
  }
  for (std::size_t stage = stages; stage-- > 0;) {
    team_.kernels.backward(first[stage], first[stage + 1], upper, sweep.d, sweep.known, x);
    team_.barrier.wait();
  }
}

double Transition::bytes() const {
  return earlier_->bytes() + corrected_->bytes() + 4.0 * static_cast<double>(fine_place_.size());
}

}  // namespace banzuke::hpcg
