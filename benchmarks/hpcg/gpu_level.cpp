#include "gpu_level.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "gpu_launches.hpp"

namespace banzuke::hpcg {
namespace {

// Rows that a multiprocessor processes at once; its registers allow no more.
constexpr std::int64_t rows_at_once = 1024;

// Returns the first place of each colour; each colour begins with a new chunk.
std::array<std::int64_t, colour_count + 1> first_places(const Triple& size) {
  std::array<std::int64_t, colour_count + 1> first{};
  for (int odd = 0; odd < colour_count; ++odd) {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < 3; ++i) rows *= (size[i] + 1 - (odd >> i & 1)) / 2;
    first[index(stage_of(odd) + 1)] = (rows + chunk_rows - 1) / chunk_rows * chunk_rows;
  }
  for (std::size_t colour = 1; colour < first.size(); ++colour) first[colour] += first[colour - 1];
  return first;
}

// Returns the rows that some neighbour needs. These are the rows that need values of a neighbour, because the matrix is
// symmetric.
std::vector<std::int32_t> edge_rows(const PlainLevel& plain) {
  std::vector<bool> is_edge(index(plain.rows()));
  for (const auto row : gpu::rows_to_send(plain.neighbours)) is_edge[index(row)] = true;
  std::vector<std::int32_t> rows;
  for (std::size_t row = 0; row < is_edge.size(); ++row) {
    if (is_edge[row]) rows.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

}  // namespace

DeviceSell::DeviceSell(const std::vector<std::int32_t>& starts, const gpu::Stream& stream)
    : start(gpu::on_device(starts, stream)),
      base(index(starts.back())),
      offset(base.size() * chunk_rows),
      value(offset.size()) {}

DeviceLevel::DeviceLevel(const SubCommunicator& ranks, const PlainLevel& plain, const gpu::DeviceInfo& device,
                         const gpu::Stream& stream)
    : stream_(stream),
      few_(rows_at_once * device.multiprocessors),
      first_(first_places(plain.size)),
      rows_(plain.rows()),
      first_here_(gpu::on_device(first_, stream)),
      place_of_(index(plain.rows())),
      row_of_(index(places())),
      diagonal_(index(places())),
      later_(index(places())),
      known_(index(places())) {
  gpu::set_bytes(row_of_.data(), 0xFF, row_of_.size(), stream_);
  gpu::set_bytes(later_.data(), 0, later_.size(), stream_);
  gpu::set_bytes(known_.data(), 0, known_.size(), stream_);
  launch_rows(stream_, rows_, SetPlaces{hpcg::view(plain.size), first_here_.data(), place_of_.data(), row_of_.data()});
  store(plain);
  store_edges(ranks, plain);
}

void DeviceLevel::store(const PlainLevel& plain) {
  const std::int64_t chunks = places() / chunk_rows;
  const std::int64_t blocks = (places() + setup_threads - 1) / setup_threads;
  const Storing storing{plain.matrix(), places(), first_here_.data(), place_of_.data(), row_of_.data()};
  gpu::DeviceBuffer<std::int32_t> lengths(index(matrix_parts * chunks));
  Conflicts conflicts(stream_);
  launch_blocks(stream_, blocks, Count{storing, lengths.data(), conflicts.data()});
  std::vector<std::int32_t> starts(lengths.size() + 1);
  gpu::download(std::span(starts).subspan(1), lengths, stream_);
  conflicts.check("rows of one colour depend on each other");
  for (std::size_t part = 1; part < starts.size(); ++part) starts[part] += starts[part - 1];
  matrix_ = std::make_unique<DeviceSell>(starts, stream_);
  launch_blocks(stream_, blocks,
                Fill{storing, matrix_->start.data(), matrix_->base.data(), matrix_->offset.data(),
                     matrix_->value.data(), diagonal_.data(), conflicts.data()});
  conflicts.check("columns of one slot are too far apart");
}

void DeviceLevel::store_edges(const SubCommunicator& ranks, const PlainLevel& plain) {
  const auto rows = plain.external > 0 ? edge_rows(plain) : std::vector<std::int32_t>{};
  const auto edges = static_cast<std::int64_t>(rows.size());
  edges_ = std::make_unique<DeviceEdges>(edges, places());
  const auto rows_here = gpu::on_device(rows, stream_);
  launch_rows(stream_, edges,
              SetEdges{plain.matrix(), edges, places(), rows_here.data(), place_of_.data(), edges_->place.data(),
                       edges_->column.data(), edges_->value.data()});
  gpu::set_bytes(edges_->outside.data(), 0, edges_->outside.size(), stream_);
  const auto sent = gpu::rows_to_send(plain.neighbours);
  auto sent_here = gpu::on_device(sent, stream_);
  launch_rows(stream_, static_cast<std::int64_t>(sent.size()), SetSent{place_of_.data(), sent_here.data()});
  stream_.wait();  // the lists are freed
  halo_ = std::make_unique<gpu::DeviceHalo>(ranks, plain.neighbours, 1, std::move(sent_here), places(), stream_, pack);
}

EdgeView DeviceLevel::edges() const {
  return {static_cast<std::int64_t>(edges_->place.size()), edges_->place.data(), edges_->column.data(),
          edges_->value.data()};
}

void DeviceLevel::look_outside(gpu::DevicePointer<double> x) {
  halo_->exchange(x);
  launch_rows(stream_, edges().edges, EdgeSums{edges(), x, edges_->outside.data()});
}

void DeviceLevel::join(const DeviceLevel& coarse, const gpu::DeviceBuffer<std::int32_t>& fine_row) {
  coarse_place_ = std::make_unique<gpu::DeviceBuffer<std::int32_t>>(index(places() - last()));
  gpu::set_bytes(coarse_place_->data(), 0xFF, coarse_place_->size(), stream_);
  Conflicts conflicts(stream_);
  launch_rows(stream_, coarse.rows_,
              SetCoarsePlaces{fine_row.data(), place_of_.data(), coarse.place_of_.data(), last(), coarse_place_->data(),
                              conflicts.data()});
  conflicts.check("points of the coarse grid are not of the last colour");
}

double DeviceLevel::bytes() const {
  return matrix_->bytes() +
         static_cast<double>(diagonal_.bytes() + later_.bytes() + known_.bytes() + place_of_.bytes() + row_of_.bytes() +
                             edges_->value.bytes() + edges_->column.bytes() + edges_->outside.bytes() +
                             (coarse_place_ ? coarse_place_->bytes() : 0));
}

LevelView DeviceLevel::view() {
  return {matrix_->view(), diagonal_.data(), later_.data(), known_.data(), edges().edges > 0, edges_->outside.data()};
}

void DeviceLevel::to_places(const gpu::DeviceBuffer<double>& rows, gpu::DevicePointer<double> to, double other) const {
  launch_rows(stream_, places(), ToPlaces{row_of_.data(), other, rows.data(), to});
}

void DeviceLevel::to_rows(gpu::DevicePointer<const double> from, gpu::DeviceBuffer<double>& rows) const {
  launch_rows(stream_, rows_, ToRows{place_of_.data(), from, rows.data()});
}

std::int64_t DeviceLevel::product_blocks() const {
  std::int64_t most = 0;
  for (int colour = 0; colour < colour_count; ++colour) {
    most = std::max(most, first_[index(colour + 1)] - first_[index(colour)]);
  }
  return colour_count * ((most + sweep_threads - 1) / sweep_threads);
}

std::int64_t DeviceLevel::most_sums() const { return product_blocks() + sum_blocks(edges().edges); }

std::int64_t DeviceLevel::multiply(gpu::DevicePointer<double> x, gpu::DevicePointer<double> y,
                                   gpu::DevicePointer<double> sums) {
  halo_->start(x);
  launch_blocks(stream_, product_blocks(), Product{view(), first_here_.data(), colour_count, x, y, sums});
  halo_->finish();
  launch_blocks(stream_, most_sums() - product_blocks(),
                Summed<EdgeValue>{edges().edges, {edges(), x, y}, sums + product_blocks()});
  return most_sums();
}

template <class Row>
void DeviceLevel::colour(int which, const Row& row) const {
  launch_places(stream_, first_[index(which)], first_[index(which + 1)], row);
}

template <template <Batch> class Row, class... Arguments>
void DeviceLevel::sweep(int which, const Arguments&... arguments) {
  if (first_[index(which + 1)] - first_[index(which)] < few_) {
    colour(which, Row<Batch::large>{view(), arguments...});
  } else {
    colour(which, Row<Batch::small>{view(), arguments...});
  }
}

// The backward sweep leaves out the last colour, whose x would not change.
void DeviceLevel::smooth_from_zero(gpu::DevicePointer<const double> r, gpu::DevicePointer<double> x) {
  for (int which = 0; which < colour_count; ++which) sweep<ForwardFromZero>(which, r, x);
  for (int which = colour_count - 1; which-- > 0;) sweep<BackwardFromZero>(which, x);
}

void DeviceLevel::restrict_residual(gpu::DevicePointer<const double> r, gpu::DevicePointer<double> x,
                                    gpu::DevicePointer<double> right) {
  look_outside(x);
  colour(colour_count - 1, Restrict{view(), coarse_place_->data(), last(), r, x, right});
}

void DeviceLevel::correct_and_smooth(gpu::DevicePointer<const double> r, gpu::DevicePointer<const double> answer,
                                     gpu::DevicePointer<double> x) {
  colour(colour_count - 1, Correct{coarse_place_->data(), last(), answer, x});
  look_outside(x);
  for (int which = 0; which < colour_count; ++which) sweep<Forward>(which, r, x);
  for (int which = colour_count - 1; which-- > 0;) sweep<Backward>(which, x);
}

}  // namespace banzuke::hpcg
