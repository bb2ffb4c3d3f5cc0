#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "core/deal.hpp"
#include "core/shares.hpp"
#include "geofem.hpp"
#include "schedule.hpp"

namespace banzuke::geofem {
namespace {

// The index of a node's first value in a vector must fit 32 bits.
constexpr std::int64_t most_nodes = std::numeric_limits<std::int32_t>::max() / 3;

std::string text(const Triple& t) {
  return std::to_string(t[0]) + " x " + std::to_string(t[1]) + " x " + std::to_string(t[2]);
}

// Returns the number of nodes of the largest part.
std::int64_t largest(const Triple& nodes, const Triple& grid, const Layers& layers = {}) {
  std::int64_t out = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool unequal = d == layers.axis && !layers.strips.empty();
    out *= unequal ? std::ranges::max(layers.strips, {}, &Strip::size).size() : (nodes[d] + grid[d] - 1) / grid[d];
  }
  return out;
}

// Returns the number of nodes on both sides of all cuts.
std::int64_t cut_nodes(const Triple& n, const Triple& p) {
  return 2 * ((p[0] - 1) * n[1] * n[2] + (p[1] - 1) * n[0] * n[2] + (p[2] - 1) * n[0] * n[1]);
}

constexpr double block_bytes = 76.0;  // nine values and a column index

// Returns the number of blocks within the parts: pairs of nodes that share an element, and every node with itself.
double blocks(const Triple& nodes, const Triple& grid) {
  double out = 1.0;
  for (std::size_t d = 0; d < 3; ++d) out *= static_cast<double>(3 * nodes[d] - 2 * grid[d]);
  return out;
}

// Returns the grid, with the numbers that `asked` fixes, whose largest part is smallest; of several, the one that cuts
// the fewest nodes. Rather one whose number of layers is nearest to `layers`, unless that is 0. Returns zeros if there
// is none.
Triple best_grid(const Triple& nodes, const Triple& asked, std::int64_t ranks, std::int64_t layers = 0) {
  const auto fits = [&](const Triple& grid) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (grid[d] > nodes[d] || (asked[d] != 0 && asked[d] != grid[d])) return false;
    }
    return true;
  };
  const auto cost = [&](const Triple& grid) {
    const std::int64_t beside = layers == 0 ? 0 : std::abs(std::ranges::max(grid) - layers);
    return std::tuple(beside, largest(nodes, grid), cut_nodes(nodes, grid));
  };
  Triple best{};
  for_each_grid(ranks, [&](const Triple& grid) {
    if (fits(grid) && (best == Triple{} || cost(grid) <= cost(best))) best = grid;
  });
  return best;
}

// Returns accepted calls near one whose grid does not fit: with the number of ranks that the grid makes, with a grid
// chosen by the program, or with the next smaller number of ranks.
std::vector<Json::Object> nearest(const Triple& nodes, const Triple& asked, std::int64_t ranks) {
  std::vector<Json::Object> out;
  const std::int64_t made = product(asked);
  const bool fits = asked[0] <= nodes[0] && asked[1] <= nodes[1] && asked[2] <= nodes[2];
  if (fits && made > 0 && made <= std::numeric_limits<int>::max()) out.push_back({{"ranks", made}});
  if (best_grid(nodes, {}, ranks) != Triple{}) out.push_back({{"px", 0}, {"py", 0}, {"pz", 0}});
  if (!out.empty()) return out;
  std::int64_t fewer = std::min(ranks - 1, product(nodes));
  while (best_grid(nodes, {}, fewer) == Triple{}) --fewer;
  if (asked == Triple{}) return {{{"ranks", fewer}}};
  return {{{"ranks", fewer}, {"px", 0}, {"py", 0}, {"pz", 0}}};
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  constexpr Parameters::Range nodes{.min = 2, .max = 1'000'000};
  constexpr Parameters::Range ranks{.min = 0, .max = 1'000'000};
  parameters.add("nx", params.nx, "nodes of the whole cube along x", nodes);
  parameters.add("ny", params.ny, "nodes along y", nodes);
  parameters.add("nz", params.nz, "nodes along z", nodes);
  parameters.add("px", params.px, "ranks along x; 0: chosen for even parts with little surface", ranks);
  parameters.add("py", params.py, "ranks along y; 0: chosen", ranks);
  parameters.add("pz", params.pz, "ranks along z; 0: chosen", ranks);
  parameters.add("ordering", params.ordering, "order of the nodes in the preconditioner", {"mc", "rcm", "cm-rcm"});
  parameters.add("colours", params.colours, "colours requested with mc and cm-rcm; raised where needed",
                 {.min = 1, .max = 1'000'000});
  parameters.add(
      "format", params.format,
      "matrix storage: row by row (crs), eight rows side by side (blocked), or on devices the rows of a warp "
      "side by side (sell)",
      formats());
  parameters.add("sweeps", params.sweeps, "additive Schwarz sweeps of the preconditioner", {.min = 1, .max = 100});
  parameters.add("deal", params.deal,
                 "how planes of nodes are dealt to the layers of ranks across the axis with most ranks: equally "
                 "(equal), by the rates that their ranks are measured to have (rates), or in shares that are given, "
                 "one for each (1:3)");
  parameters.add("messages", params.messages,
                 "on devices: the memory from which neighbours get their values; device: MPI gets its addresses",
                 {"host", "device"});
}

void settle(Parameters& parameters, const Params& /*params*/) {
  for (const char* name : {"deal", "messages"}) {
    if (!parameters.given(name)) parameters.unused(name, "");
  }
}

Layers layers_of(const Params& params) {
  const Triple grid = grid_of(params);
  const std::size_t axis = dealt_axis(grid);
  const std::int64_t planes = nodes_of(params)[axis];
  const std::vector<double> shares = given_shares(params.deal, "layer of ranks");
  if (!shares.empty()) return {.axis = axis, .strips = shares_by_rate(planes, 1, shares)};
  Layers out{.axis = axis};
  for (std::int64_t layer = 0; layer < grid[axis]; ++layer) {
    out.strips.push_back({cut(planes, grid[axis], layer), cut(planes, grid[axis], layer + 1)});
  }
  return out;
}

Domain domain_of(const Params& params, int rank) {
  return {nodes_of(params), grid_of(params), rank, layers_of(params)};
}

Problem problem(Params& params, int ranks) {
  params = complete(params, ranks);
  const auto nodes = static_cast<double>(largest(nodes_of(params), grid_of(params), layers_of(params)));
  Problem out = memory(params, nodes);
  out.facts = {{"nodes", product(nodes_of(params))}, {"px", params.px}, {"py", params.py}, {"pz", params.pz}};
  return out;
}

namespace {

// Returns how many layers of ranks suit `deal`: one for each share, or with rates as many as there can be; 0: any.
std::int64_t wanted_layers(const Params& params, std::int64_t ranks) {
  if (params.deal == "rates") return ranks;
  return std::ssize(given_shares(params.deal, "layer of ranks"));
}

// Throws UsageError unless the layers of the grid can be shared as `deal` says.
void check_deal(const Params& params, std::int64_t ranks) {
  const auto shares = std::ssize(given_shares(params.deal, "layer of ranks"));
  if (params.deal != "equal" && ranks == 1) {
    throw UsageError("deal: one rank has nobody to share the nodes with", {}, "deal");
  }
  const std::int64_t layers = std::ranges::max(grid_of(params));
  std::vector<Json::Object> nearest;
  if (shares == ranks && shares <= params.nz) nearest.push_back({{"px", 1}, {"py", 1}, {"pz", ranks}});
  check_shares(params.deal, static_cast<std::size_t>(shares), layers, "layers of ranks", nearest);
}

}  // namespace

Params complete(const Params& params, int ranks) {
  const Triple nodes = nodes_of(params);
  const Triple asked = grid_of(params);
  const Triple best = best_grid(nodes, asked, ranks, wanted_layers(params, ranks));
  if (best == Triple{}) {
    throw UsageError("px, py, pz: " + std::to_string(ranks) + " ranks cannot be a grid of " + text(asked) +
                         " (0: chosen) with at most " + text(nodes) + ", a node for each",
                     nearest(nodes, asked, ranks));
  }
  Params out = params;
  out.px = best[0];
  out.py = best[1];
  out.pz = best[2];
  check_deal(out, ranks);
  const std::int64_t most = largest(nodes, best, layers_of(out));
  if (most > most_nodes) {
    throw UsageError("nx, ny, nz: a rank would have " + std::to_string(most) + " nodes, but at most " +
                     std::to_string(most_nodes) + " can be numbered; take more ranks or fewer nodes");
  }
  return out;
}

Work work(const Params& params) {
  const Triple cube = nodes_of(params);
  const auto nodes = static_cast<double>(product(cube));
  const double all = blocks(cube, {1, 1, 1});
  const double swept = blocks(cube, grid_of(params)) - nodes;  // blocks of the preconditioner, without the diagonal
  const auto sweeps = static_cast<double>(params.sweeps);
  // Bytes per node for the vectors, each read or written as often as in the reference loops. `matrix` includes the
  // diagonal's factors, twice for each sweep.
  const double vectors = 360.0 + (sweeps - 1.0) * 144.0;
  const double matrix = block_bytes * (sweeps * (all + swept)) + 144.0 * sweeps * nodes;
  // Bytes per node that caches save: z and r are read once for a sweep and its dot product, and u and r are still in
  // cache when they are updated.
  constexpr double kept = 24.0;
  const double moved = (vectors - kept) * nodes;
  const double flops = 18.0 * sweeps * (all + swept) + nodes * (30.0 * sweeps + 36.0 + 6.0 * (sweeps - 1.0));
  return {.counted = flops,
          .demand = {{"flops.fp64", flops},
                     {"memory.bytes", matrix + moved},
                     // No vector is written more often than it is read.
                     {"memory.loads", matrix + 0.5 * moved}}};
}

double working_set(const Params& params) {
  const Triple cube = nodes_of(params);
  constexpr double factors = 72.0;
  constexpr double vectors = 5 * 24.0;
  return block_bytes * blocks(cube, {1, 1, 1}) + (factors + vectors) * static_cast<double>(product(cube));
}

double bytes_from_other_hosts(const Params& params, const Domain& domain, const Hosts& hosts, int rank) {
  const std::int64_t nodes = rows_from_other_hosts(domain.neighbours(), hosts, rank);
  return 8.0 * static_cast<double>(params.sweeps * 3 * nodes);
}

}  // namespace banzuke::geofem
