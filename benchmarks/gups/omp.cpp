#include <omp.h>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/team.hpp"
#include "gups.hpp"
#include "reference.hpp"
#include "updates.hpp"

namespace banzuke::gups {

void declare(Parameters& parameters, Params& params) {
  declare_sizes(parameters, params);
  parameters.add("look_ahead", params.look_ahead, "updates that a thread keeps back while their words are fetched",
                 {.min = 1, .max = most_kept});
  parameters.add("updates", params.updates,
                 "exact: atomic where a rank has several threads; racing: threads may lose each other's",
                 {"exact", "racing"});
}

Problem problem(const Params& params, int /*ranks*/) {
  check_power_of_two("n", params.n);
  return {.footprint = footprint(params)};
}

struct Gups::Impl {
  explicit Impl(const Params& params)
      : look_ahead(params.look_ahead),
        atomic(params.updates == "exact" && omp_get_max_threads() > 1),
        table(static_cast<std::size_t>(params.n)) {}

  std::int64_t look_ahead;
  bool atomic;
  Array<std::uint64_t> table;
};

Gups::Gups(const Params& params, const Communicator& /*ranks*/) : impl_(make_hidden<Impl>(params)) {
  std::uint64_t* table = impl_->table.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < params.n; ++i) table[i] = static_cast<std::uint64_t>(i);
}

std::int64_t Gups::updates() const { return updates_of_word * table_words(); }

double Gups::run(std::int64_t round) {
  std::uint64_t* table = impl_->table.data();
  const std::uint64_t mask = impl_->table.size() - 1;
  const std::int64_t made = updates();
  const double start = now();
#pragma omp parallel
  {
    const auto [first, last] = share(round * made, (round + 1) * made, omp_get_thread_num(), omp_get_num_threads());
    (impl_->atomic ? update<Atomic> : update<Plain>)(table, mask, first, last, impl_->look_ahead);
  }
  return now() - start;
}

void Gups::replay(std::int64_t updates) { replay_words({impl_->table.data(), impl_->table.size()}, updates); }

Tally Gups::tally() const { return tally_words(impl_->table.span()); }

std::int64_t Gups::table_words() const { return static_cast<std::int64_t>(impl_->table.size()); }

std::vector<std::uint64_t> Gups::words() const {
  const auto words = impl_->table.span();
  return {words.begin(), words.end()};
}

double Gups::line() const { return 64.0; }
double Gups::missing() const { return 1.0; }

Json::Object Gups::conditions() const {
  return {{"huge_page_fraction", huge_page_fraction()}, {"method", impl_->atomic ? "atomic" : "load, xor, store"}};
}

std::vector<Verification> Gups::checks() const { return {}; }

}  // namespace banzuke::gups
