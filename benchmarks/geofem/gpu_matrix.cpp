#include "gpu_matrix.hpp"

#include <algorithm>
#include <span>

#include "assembly.hpp"

namespace banzuke::geofem {
namespace {

// Rows for each multiprocessor that keep it busy: several times what it holds at once, so that the last, partly filled
// round takes a small share of the time.
constexpr std::int64_t rows_at_once = 2048;
// Largest number of stages for which a product takes chunks from all stages in turn.
constexpr std::int64_t most_turns = 64;

BoxView box_of(const Domain& domain) {
  BoxView out{};
  const Triple begin = domain.position(0);
  const Triple last = domain.position(domain.own() - 1);
  for (std::size_t d = 0; d < 3; ++d) {
    out.whole[d] = domain.whole()[d];
    out.begin[d] = begin[d];
    out.size[d] = last[d] - begin[d] + 1;
  }
  return out;
}

// Returns the number of blocks in this rank's rows: along each axis a node is coupled to itself and to its neighbours.
double blocks_there(const BoxView& box) {
  double out = 1.0;
  for (int d = 0; d < 3; ++d) {
    double pairs = 3.0 * static_cast<double>(box.size[d]);
    if (box.begin[d] == 0) pairs -= 1.0;
    if (box.begin[d] + box.size[d] == box.whole[d]) pairs -= 1.0;
    out *= pairs;
  }
  return out;
}

std::vector<std::int64_t> first_chunks(const Schedule& schedule) {
  std::vector<std::int64_t> out;
  for (std::int64_t stage = 0; stage <= schedule.stages; ++stage) {
    out.push_back(schedule.starts[static_cast<std::size_t>(stage)] * Schedule::chunk / chunk_rows);
  }
  return out;
}

// Returns where each chunk starts, from the number of slots of each.
std::vector<std::int32_t> starts_of(const gpu::DeviceBuffer<std::int32_t>& lengths, const gpu::Stream& stream) {
  std::vector<std::int32_t> starts(lengths.size() + 1);
  gpu::download(std::span(starts).subspan(1), lengths, stream);
  for (std::size_t chunk = 1; chunk < starts.size(); ++chunk) starts[chunk] += starts[chunk - 1];
  return starts;
}

std::vector<double> stencils(const Domain& domain) {
  const Assembly assembly(domain);
  std::vector<double> out;
  out.reserve(assembly.stencils().size() * stencil_size);
  for (const auto& sides : assembly.stencils()) {
    for (const auto& block : sides) out.insert(out.end(), block.begin(), block.end());
  }
  return out;
}

}  // namespace

DeviceMatrix::DeviceMatrix(const SubCommunicator& ranks, const Domain& domain, const Schedule& schedule,
                           const gpu::DeviceInfo& device, const gpu::Stream& stream)
    : stream_(stream),
      enough_(rows_at_once * device.multiprocessors),
      first_(first_chunks(schedule)),
      box_(box_of(domain)),
      first_here_(gpu::on_device(first_, stream)),
      stencil_(gpu::on_device(stencils(domain), stream)),
      node_(gpu::on_device(schedule.node, stream)),
      row_(gpu::on_device(schedule.row, stream)),
      stage_(gpu::on_device(schedule.stage, stream)),
      diagonal_(static_cast<std::size_t>(9 * rows())),
      factor_(diagonal_.size()) {
  for (std::int64_t stage = 0; stage < stages(); ++stage) longest_ = std::max(longest_, chunks_of(stage));
  in_turns_ = stages() <= most_turns && longest_ * stages() <= 2 * first_.back();
  store(stream);
  store_outer(domain, schedule);
  std::vector<std::int32_t> sent;
  for (const auto node : gpu::rows_to_send(domain.neighbours())) {
    const auto place = static_cast<std::int32_t>(place_of_row(schedule.row[static_cast<std::size_t>(node)]));
    for (std::int32_t i = 0; i < 3; ++i) sent.push_back(place + i * apart);
  }
  const auto pack = [](const gpu::Stream& on, std::int64_t n, auto list, auto x, auto out) {
    launch_rows(on, n, gpu::Pack{list, x, out});
  };
  halo_ = std::make_unique<gpu::DeviceHalo>(ranks, domain.neighbours(), 3, gpu::on_device(sent, stream_), 3 * rows(),
                                            stream_, pack);
  fill_ = (static_cast<double>(lower_->slots + upper_->slots + outer_->blocks.slots + first_.back()) * chunk_rows) /
          blocks_there(box_);
}

Assembling DeviceMatrix::assembling() const {
  return {box_, stencil_.data(), node_.data(), row_.data(), stage_.data()};
}

void DeviceMatrix::store(const gpu::Stream& stream) {
  const auto chunks = static_cast<std::size_t>(first_.back());
  gpu::DeviceBuffer<std::int32_t> lower(chunks);
  gpu::DeviceBuffer<std::int32_t> upper(chunks);
  launch_blocks(stream, (rows() + setup_threads - 1) / setup_threads,
                Count{assembling(), rows(), lower.data(), upper.data()});
  lower_ = std::make_unique<DeviceBlocks>(starts_of(lower, stream), stream);
  upper_ = std::make_unique<DeviceBlocks>(starts_of(upper, stream), stream);
  launch_rows(stream, rows(), Fill{assembling(), lower_->made(), upper_->made(), diagonal_.data(), factor_.data()});
  stream.wait();
}

void DeviceMatrix::store_outer(const Domain& domain, const Schedule& schedule) {
  struct Edge {
    std::int64_t node;
    std::vector<int> blocks;  // indices of the blocks in the node's row that belong to external nodes
  };
  // The rows that a neighbour needs are those that need values of a neighbour, because the matrix is symmetric.
  std::vector<std::int32_t> nodes = gpu::rows_to_send(domain.neighbours());
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  const Assembly assembly(domain);
  std::vector<Edge> edges;
  for (const auto node : nodes) {
    edges.push_back({node, {}});
    const Row row = assembly.row(node);
    for (int i = 0; i < row.size; ++i) {
      if (row.node[static_cast<std::size_t>(i)] >= domain.own()) edges.back().blocks.push_back(i);
    }
  }
  std::ranges::stable_sort(edges, {}, [](const Edge& edge) { return edge.blocks.size(); });
  std::vector<std::int32_t> starts{0};
  std::vector<std::int32_t> places((edges.size() + chunk_rows - 1) / chunk_rows * chunk_rows, -1);
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    places[edge] = static_cast<std::int32_t>(place_of_row(schedule.row[static_cast<std::size_t>(edges[edge].node)]));
  }
  for (std::size_t first = 0; first < edges.size(); first += chunk_rows) {
    const std::size_t last = std::min(first + chunk_rows, edges.size()) - 1;
    starts.push_back(starts.back() + static_cast<std::int32_t>(edges[last].blocks.size()));
  }
  outer_ = std::make_unique<Outer>(starts, places, stream_);
  std::vector<double> values(outer_->blocks.value.size());
  std::vector<std::int32_t> columns(outer_->blocks.column.size());
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    const std::size_t lane = edge % chunk_rows;
    auto slot = static_cast<std::size_t>(starts[edge / chunk_rows]);
    const Row row = assembly.row(edges[edge].node);
    for (const int i : edges[edge].blocks) {
      const auto k = static_cast<std::size_t>(i);
      for (std::size_t v = 0; v < 9; ++v) values[(slot * 9 + v) * chunk_rows + lane] = row.block[k][v];
      columns[slot * chunk_rows + lane] = static_cast<std::int32_t>(3 * (rows() + row.node[k] - domain.own()));
      ++slot;
    }
  }
  if (edges.empty()) return;
  gpu::upload(outer_->blocks.value, std::span<const double>(values), stream_);
  gpu::upload(outer_->blocks.column, std::span<const std::int32_t>(columns), stream_);
}

Chunks DeviceMatrix::of_stage(std::int64_t stage) const {
  return {first_[static_cast<std::size_t>(stage)], first_[static_cast<std::size_t>(stage + 1)], 0, {}};
}

Chunks DeviceMatrix::of_product() const { return {0, first_.back(), in_turns_ ? stages() : 0, first_here_.data()}; }

double DeviceMatrix::bytes() const {
  std::size_t out = stencil_.bytes() + node_.bytes() + row_.bytes() + stage_.bytes() + diagonal_.bytes() +
                    factor_.bytes() + outer_->place.bytes();
  for (const auto* blocks : {lower_.get(), upper_.get(), &outer_->blocks}) {
    out += blocks->start.bytes() + blocks->value.bytes() + blocks->column.bytes();
  }
  return static_cast<double>(out);
}

// Returns the largest number of thread blocks that leave a sum: with four slices (FewRows), each has only one chunk.
std::int64_t DeviceMatrix::most_sums() const {
  const std::int64_t product = in_turns_ ? longest_ * stages() : first_.back();
  return product + static_cast<std::int64_t>(outer_->place.size()) / chunk_rows;
}

template <class Way, class Step>
std::int64_t DeviceMatrix::queue(const Chunks& chunks, std::int64_t number, const Step& step,
                                 gpu::DevicePointer<double> sums) {
  const std::int64_t blocks =
      (number + Way::chunks_here - 1) / Way::chunks_here * (chunks.turns == 0 ? 1 : chunks.turns);
  launch_chunks(stream_, blocks, OverChunks<Step, Way>{chunks, step, sums});
  return blocks;
}

template <class Step>
std::int64_t DeviceMatrix::queue_suitably(const Chunks& chunks, std::int64_t number, const Step& step,
                                          gpu::DevicePointer<double> sums) {
  const std::int64_t all = number * chunk_rows * std::max<std::int64_t>(1, chunks.turns);
  if (all >= enough_) return queue<ManyRows>(chunks, number, step, sums);
  if (2 * all >= enough_) return queue<SomeRows>(chunks, number, step, sums);
  return queue<FewRows>(chunks, number, step, sums);
}

std::int64_t DeviceMatrix::sweep(gpu::DevicePointer<const double> right, gpu::DevicePointer<double> left,
                                 gpu::DevicePointer<double> sums) {
  for (std::int64_t stage = 0; stage < stages(); ++stage) {
    queue_suitably(of_stage(stage), chunks_of(stage), Forward{{lower_->view(), factor_.data(), right, left}}, {});
  }
  std::int64_t summed = 0;
  for (std::int64_t stage = stages(); stage-- > 0;) {
    summed += queue_suitably(of_stage(stage), chunks_of(stage), Backward{{upper_->view(), factor_.data(), right, left}},
                             sums + summed);
  }
  return summed;
}

std::int64_t DeviceMatrix::multiply(gpu::DevicePointer<double> x, gpu::DevicePointer<double> y,
                                    gpu::DevicePointer<double> sums) {
  halo_->start(x);
  std::int64_t summed = queue_suitably(of_product(), in_turns_ ? longest_ : first_.back(), Product{view(), x, y}, sums);
  halo_->finish();
  const auto edges = static_cast<std::int64_t>(outer_->place.size()) / chunk_rows;
  if (edges > 0) {
    summed += queue<ManyRows>({0, edges, 0, {}}, edges, Outside{outer_->view(), x, y}, sums + summed);
  }
  return summed;
}

}  // namespace banzuke::geofem
