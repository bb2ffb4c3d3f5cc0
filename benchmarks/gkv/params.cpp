#include <algorithm>
#include <limits>
#include <string>

#include "bracket.hpp"
#include "field.hpp"
#include "gkv.hpp"

namespace banzuke::gkv {
namespace {

constexpr std::int64_t most_half = 4000;  // along a dimension; the product of all dimensions must fit 64 bits
constexpr double most_points = 1.1e12;    // of f, 16 TiB

bool transformable(std::int64_t length) {
  for (const std::int64_t factor : {2, 3, 5}) {
    while (length % factor == 0) length /= factor;
  }
  return length == 1;
}

// Returns half the number of points in real space for modes up to n, at least `at`. Products of two modes must not
// alias to modes that are kept, which takes 3 n < 2 nw.
std::int64_t real_space(std::int64_t n, std::int64_t at = 0) {
  std::int64_t half = std::max(at, 3 * n / 2 + 1);
  while (!transformable(2 * half)) ++half;
  return half;
}

// Chooses `half` if it is 0. Throws a UsageError if it cannot be used.
void choose_real_space(const std::string& modes, std::int64_t n, const std::string& name, std::int64_t& half) {
  if (half == 0) half = real_space(n);
  if (3 * n >= 2 * half) {
    std::vector<Json::Object> nearest{{{name, real_space(n)}}};
    const std::int64_t most = (2 * half - 1) / 3;
    if (most >= 1 && transformable(2 * half)) nearest.push_back({{modes, most}});
    throw UsageError(modes + ", " + name + ": products of two modes fold back onto those that are kept unless " +
                         modes + " < 2/3 " + name + ", but " + std::to_string(n) + " is not below 2/3 of " +
                         std::to_string(half),
                     std::move(nearest));
  }
  if (transformable(2 * half)) return;
  std::int64_t below = half;
  while (!transformable(2 * below)) --below;
  std::vector<Json::Object> nearest{{{name, real_space(n, half)}}};
  if (3 * n < 2 * below) nearest.insert(nearest.begin(), {{name, below}});
  throw UsageError(name + ": 2 x " + std::to_string(half) + " has other prime factors than 2, 3 and 5",
                   std::move(nearest));
}

void check_bracket(Params& params, int ranks) {
  if (params.variant != "default") {
    throw UsageError(
        "variant: kernel fft has default alone; its opt is the same code with another all-to-all algorithm "
        "of the MPI library, chosen by its variables or launcher options",
        {{{"variant", "default"}}});
  }
  choose_real_space("nx", params.nx, "nxw", params.nxw);
  choose_real_space("ny", params.ny, "nyw", params.nyw);
  const Dealt asked(params, ranks);
  const auto accepted = [&](const Params& of, std::int64_t number) {
    const Dealt dealt(of, static_cast<int>(number));
    return dealt.all_have_some() && dealt.messages_fit();
  };
  if (accepted(params, ranks)) return;
  std::vector<Json::Object> nearest;
  const std::int64_t most = asked.most_ranks();
  std::int64_t fewer = std::min<std::int64_t>(ranks - 1, most);
  while (fewer >= 1 && !accepted(params, fewer)) --fewer;
  if (fewer >= 1) nearest.push_back({{"ranks", fewer}});
  std::int64_t more = ranks + 1;
  while (more <= most && !accepted(params, more)) ++more;
  if (more <= most) nearest.push_back({{"ranks", more}});
  Params other = params;
  other.ny = std::max(asked.all.ky / ranks, std::int64_t{1}) * ranks - 1;  // ky: a multiple of the ranks
  if (other.ny >= 1 && other.ny <= most_half && other.ny != params.ny && accepted(other, ranks)) {
    nearest.push_back({{"ny", other.ny}});
  }
  std::string why =
      "nx, ny, nz, nm: messages between ranks would have 2^31 numbers or more; more ranks make them shorter";
  if (!asked.all_have_some()) {
    why = "ny, nz, nm: " + std::to_string(asked.all.ky) + " values of ky and " + std::to_string(asked.all_planes()) +
          " of z and m, in blocks of equal size, leave some of " + std::to_string(ranks) + " ranks without any";
  }
  throw UsageError(why, std::move(nearest));
}

void check_velocities(const Params& params, int ranks) {
  const std::int64_t all = shape_of(params).v;
  if (all % ranks == 0) return;
  std::int64_t fewer = ranks - 1;
  while (all % fewer != 0) --fewer;
  std::vector<Json::Object> nearest{{{"ranks", fewer}}};
  const std::int64_t step = ranks % 2 == 0 ? ranks / 2 : ranks;  // of nv: multiples of it can be distributed
  for (const std::int64_t nv : {params.nv / step * step, (params.nv / step + 1) * step}) {
    if (nv >= 1 && nv <= most_half) nearest.push_back({{"nv", nv}});
  }
  throw UsageError(
      "nv: " + std::to_string(ranks) + " ranks cannot share " + std::to_string(all) + " values of v evenly",
      std::move(nearest));
}

// Returns the number of complex numbers that a rank holds in the kernels other than the bracket.
std::int64_t numbers(const Params& params, int ranks) {
  const Shape own = slab(shape_of(params), 0, ranks).own;
  const std::int64_t modes = own.modes() * own.z;
  if (params.kernel == "intgrl") return Layout(own, intgrl_ghosts).size() + 2 * modes;
  if (params.kernel == "diff45") return Layout(own, diff45_ghosts).size() + Layout(own, {}).size() + 2 * modes;
  return Layout(own, diff123_ghosts).size() + Layout(own, {}, true).size();
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  constexpr Parameters::Range points{.min = 1, .max = most_half};
  parameters.add("kernel", params.kernel, "which of the four", {"fft", "intgrl", "diff45", "diff123"});
  parameters.add("variant", params.variant, "written straightforwardly, or tuned; fft has the first alone",
                 {"default", "opt"});
  parameters.add("nx", params.nx, "kx = -nx..nx", points);
  parameters.add("ny", params.ny, "ky = 0..ny", points);
  parameters.add("nz", params.nz, "z = -nz..nz-1", points);
  parameters.add("nv", params.nv, "2 nv parallel velocities", {.min = 1, .max = most_half});
  parameters.add("nm", params.nm, "magnetic moments m = 0..nm", {.min = 2, .max = most_half});
  parameters.add("nxw", params.nxw, "fft: half of the points in real space along x; 0: the fewest",
                 {.min = 0, .max = 2 * most_half});
  parameters.add("nyw", params.nyw, "fft: half of the points in real space along y; 0: the fewest",
                 {.min = 0, .max = 2 * most_half});
  parameters.add("moment", params.moment, "intgrl: power of v in the weights", {.min = 0, .max = 2});
  parameters.add("along", params.along, "diff123: dimensions with differences", {"1", "12", "123"});
  parameters.add("rounds", params.rounds, "timed runs, after one that is not", {.min = 1, .max = 1'000'000});
}

Problem problem(Params& params, int ranks) {
  const Shape all = shape_of(params);
  if (static_cast<double>(all.points()) > most_points) {
    throw UsageError("nx, ny, nz, nv, nm: " + std::to_string(all.points()) + " points of f are more than 1.1e12");
  }
  Json::Object facts{{"points", all.points()}};
  if (params.kernel == "fft") {
    check_bracket(params, ranks);
    facts.insert(facts.end(), {{"nxw", params.nxw}, {"nyw", params.nyw}});
    return {.footprint = bracket_footprint(params, ranks), .facts = std::move(facts)};
  }
  check_velocities(params, ranks);
  return {.footprint = static_cast<double>(complex_bytes) * static_cast<double>(numbers(params, ranks)),
          .facts = std::move(facts)};
}

}  // namespace banzuke::gkv
