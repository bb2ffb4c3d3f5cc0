#include "families.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/parameters.hpp"
#include "family.hpp"

namespace banzuke::spmv {
namespace {

struct Family {
  std::string name;
  Pattern (*pattern)(double nonzeros);
  Numbering numbering = Numbering::natural;
};

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"stencil-5", stencil5},
      {"stencil-9", stencil9},
      {"stencil-7", stencil7},
      {"stencil-27", stencil27},
      {"elasticity", elasticity},
      {"flow", flow},
      {"p1-triangles", p1_triangles},
      {"p1-triangles-rcm", p1_triangles, Numbering::rcm},
      {"p1-triangles-random", p1_triangles, Numbering::random},
      {"p1-tetrahedra", p1_tetrahedra},
      {"p1-tetrahedra-rcm", p1_tetrahedra, Numbering::rcm},
      {"p1-tetrahedra-random", p1_tetrahedra, Numbering::random},
      {"p2-tetrahedra", p2_tetrahedra},
      {"p2-tetrahedra-rcm", p2_tetrahedra, Numbering::rcm},
      {"p2-tetrahedra-random", p2_tetrahedra, Numbering::random},
      {"qcd", qcd},
      {"kkt", kkt},
      {"lp", lp},
      {"incidence", incidence},
      {"banded", banded},
      {"erdos-renyi", erdos_renyi},
      {"rmat", rmat},
      {"web", web},
      {"road", road},
      {"circuit", circuit},
      {"protein", protein},
      {"dense", dense},
  };
  return all;
}

const Family& find(const std::string& name) {
  const auto found = std::ranges::find(families(), name, &Family::name);
  if (found != families().end()) return *found;
  std::string known;
  for (const std::string& one : family_names()) known += (known.empty() ? "" : ", ") + one;
  throw UsageError("no matrix family is called '" + name + "'; there are " + known);
}

Pattern pattern_of(const Family& family, std::int64_t nonzeros) {
  Pattern pattern = family.pattern(static_cast<double>(std::max<std::int64_t>(nonzeros, 1)));
  if (std::max(pattern.rows, pattern.columns) > std::numeric_limits<std::int32_t>::max()) {
    throw UsageError(family.name + " with " + std::to_string(nonzeros) + " non-zeros would have " +
                     std::to_string(pattern.rows) + " rows and " + std::to_string(pattern.columns) +
                     " columns, but columns are 32-bit numbers; ask for fewer non-zeros");
  }
  return pattern;
}

}  // namespace

const std::vector<std::string>& family_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    std::ranges::transform(families(), std::back_inserter(all), &Family::name);
    return all;
  }();
  return names;
}

Crs generate(const std::string& family, std::int64_t nonzeros) {
  const Family& one = find(family);
  return assemble(renumbered(pattern_of(one, nonzeros), one.numbering));
}

double footprint_of(const std::string& family, std::int64_t nonzeros) {
  const Family& one = find(family);
  const Pattern pattern = pattern_of(one, nonzeros);
  const double row = one.numbering == Numbering::natural ? 8.0 : 16.0;  // bytes: the row's start, its two numbers
  constexpr double chance = 1.05;                                       // because the sizes of random families vary
  return chance * 12.0 * pattern.nonzeros + row * static_cast<double>(pattern.rows + 1);
}

}  // namespace banzuke::spmv
