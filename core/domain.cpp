#include "core/domain.hpp"

#include <algorithm>
#include <cmath>

namespace banzuke {
namespace {

// Returns the index of a direction with steps of -1, 0 or 1.
std::size_t number(const Triple& step) {
  return static_cast<std::size_t>(step[0] + 1 + 3 * (step[1] + 1 + 3 * (step[2] + 1)));
}

constexpr std::size_t here = 13;

Triple direction(std::size_t number) {
  const auto n = static_cast<std::int64_t>(number);
  return {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
}

}  // namespace

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t i = 1; i <= number / i; ++i) {
    if (number % i != 0) continue;
    small.push_back(i);
    if (i != number / i) large.push_back(number / i);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

std::size_t dealt_axis(const Triple& grid) {
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d) axis = grid[d] >= grid[axis] ? d : axis;
  return axis;
}

std::vector<std::size_t> layer_of_rank(const Triple& grid) {
  const std::size_t axis = dealt_axis(grid);
  std::int64_t before = 1;  // ranks from one layer to the next
  for (std::size_t d = 0; d < axis; ++d) before *= grid[d];
  std::vector<std::size_t> layers(static_cast<std::size_t>(product(grid)));
  for (std::size_t rank = 0; rank < layers.size(); ++rank) {
    layers[rank] = rank / static_cast<std::size_t>(before) % static_cast<std::size_t>(grid[axis]);
  }
  return layers;
}

Domain::Domain(const Triple& whole, const Triple& grid, int rank, const Layers& layers)
    : whole_(whole), grid_(grid), place_{rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]} {
  for (std::size_t d = 0; d < 3; ++d) {
    begin_[d] = cut(whole[d], grid[d], place_[d]);
    size_[d] = cut(whole[d], grid[d], place_[d] + 1) - begin_[d];
  }
  if (!layers.strips.empty()) {
    const Strip& strip = layers.strips.at(static_cast<std::size_t>(place_[layers.axis]));
    begin_[layers.axis] = strip.begin;
    size_[layers.axis] = strip.size();
  }
  for (std::size_t i = 0; i < first_.size(); ++i) {
    first_[i] = own() + external_;
    if (i != here) external_ += product(outside(direction(i)).size);
  }
}

Triple Domain::position(std::int64_t own) const {
  return {begin_[0] + own % size_[0], begin_[1] + own / size_[0] % size_[1], begin_[2] + own / size_[0] / size_[1]};
}

bool Domain::owns(const Triple& position) const {
  for (std::size_t d = 0; d < 3; ++d) {
    if (position[d] < begin_[d] || position[d] >= begin_[d] + size_[d]) return false;
  }
  return true;
}

Domain::Box Domain::outside(const Triple& step) const {
  Box box{};
  for (std::size_t d = 0; d < 3; ++d) {
    const bool exists = place_[d] + step[d] >= 0 && place_[d] + step[d] < grid_[d];
    box.begin[d] = step[d] < 0 ? begin_[d] - 1 : step[d] > 0 ? begin_[d] + size_[d] : begin_[d];
    box.size[d] = !exists ? 0 : step[d] == 0 ? size_[d] : 1;
  }
  return box;
}

std::int64_t Domain::index(const Triple& position) const {
  Triple step{};
  for (std::size_t d = 0; d < 3; ++d) {
    step[d] = position[d] < begin_[d] ? -1 : position[d] >= begin_[d] + size_[d] ? 1 : 0;
  }
  const std::size_t i = number(step);
  const Box box = i == here ? Box{begin_, size_} : outside(step);
  const std::int64_t inside = position[0] - box.begin[0] +
                              box.size[0] * (position[1] - box.begin[1] + box.size[1] * (position[2] - box.begin[2]));
  return i == here ? inside : first_[i] + inside;
}

std::vector<Halo::Neighbour> Domain::neighbours() const {
  std::vector<Halo::Neighbour> out;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const Triple step = direction(i);
    const std::int64_t receive = product(outside(step).size);
    if (i == here || receive == 0) continue;
    const auto rank = place_[0] + step[0] + grid_[0] * (place_[1] + step[1] + grid_[1] * (place_[2] + step[2]));
    Halo::Neighbour neighbour{.rank = static_cast<int>(rank), .send = {}, .receive = receive};
    // The neighbour needs the layer of our own box that touches it.
    Box layer{begin_, size_};
    for (std::size_t d = 0; d < 3; ++d) {
      if (step[d] > 0) layer.begin[d] += size_[d] - 1;
      if (step[d] != 0) layer.size[d] = 1;
    }
    for (std::int64_t z = 0; z < layer.size[2]; ++z) {
      for (std::int64_t y = 0; y < layer.size[1]; ++y) {
        for (std::int64_t x = 0; x < layer.size[0]; ++x) {
          const auto point = index({layer.begin[0] + x, layer.begin[1] + y, layer.begin[2] + z});
          neighbour.send.push_back(static_cast<std::int32_t>(point));
        }
      }
    }
    out.push_back(neighbour);
  }
  return out;
}

double wrong_owners(const Domain& domain, const Communicator& ranks) {
  const Triple& whole = domain.whole();
  std::array<std::vector<double>, 3> planes;
  for (std::size_t axis = 0; axis < 3; ++axis) planes[axis].resize(static_cast<std::size_t>(whole[axis]));
  for (std::int64_t point = 0; point < domain.own(); ++point) {
    const Triple at = domain.position(point);
    for (std::size_t axis = 0; axis < 3; ++axis) ++planes[axis][static_cast<std::size_t>(at[axis])];
  }
  double wrong = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ranks.sum(planes[axis]);
    const std::int64_t expected = product(whole) / whole[axis];
    for (const double points : planes[axis]) wrong = std::max(wrong, std::abs(points - static_cast<double>(expected)));
  }
  return wrong;
}

}  // namespace banzuke
