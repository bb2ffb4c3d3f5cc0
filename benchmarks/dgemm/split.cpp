#include "split.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/paired.hpp"
#include "core/random.hpp"

namespace banzuke::dgemm {
namespace {

// Elements begin..end-1 of a matrix, in parallel: what a group computes lies near its processors.
void fill(const SharedArray<double>& matrix, std::int64_t begin, std::int64_t end, std::uint64_t number) {
  double* data = matrix.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = begin; i < end; ++i) data[i] = uniform(number, static_cast<std::uint64_t>(i));
  matrix.collapse(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
}

// One block and no more.
NextBlock once(const Block& block) {
  return [left = block]() mutable { return std::exchange(left, Block{}); };
}

// Counts are modulo a prime, so that none overflows.
constexpr std::uint64_t count_modulus = (std::uint64_t{1} << 31) - 1;

// Adds up to the square of the length.
std::uint64_t count_of(const Strip& strip) {
  return static_cast<std::uint64_t>(strip.end * strip.end - strip.begin * strip.begin) % count_modulus;
}

// Adds up to m^2 k^2 over all blocks of a column. Later rows, and later parts of the inner dimension, count for more,
// so a block that replaces another one of the same size is seen, too.
std::uint64_t count_of(const Block& block) { return count_of(block.rows) * count_of(block.inner) % count_modulus; }

std::vector<double> of_each(const Communicator& ranks, double own) {
  std::vector<double> values(static_cast<std::size_t>(ranks.size()));
  values[static_cast<std::size_t>(ranks.rank())] = own;
  ranks.sum(values);
  return values;
}

constexpr double flops_of_update = 2.0;

// A value of each group for each call.
using ByGroup = std::vector<std::vector<double>>;

Json medians(const ByGroup& groups) {
  Json::Array found;
  for (const auto& values : groups) found.emplace_back(median(values));
  return found;
}

void append(ByGroup& groups, const std::vector<double>& values) {
  groups.resize(values.size());
  for (std::size_t group = 0; group < values.size(); ++group) groups[group].push_back(values[group]);
}

// Figures of more groups would hide the others; their medians are conditions.
constexpr std::size_t most_shown = 8;

}  // namespace

std::vector<double> read_shares(const std::string& split) {
  constexpr std::array words{"none", "equal", "rates", "adaptive"};
  if (std::ranges::find(words, split) != words.end()) return {};
  try {
    return read_ratios(split);
  } catch (const std::invalid_argument& error) {
    throw UsageError("split: " + split + " is none of none, equal, rates, adaptive, and no share for each group, as " +
                         "1:3 would be: " + error.what(),
                     {{{"split", "adaptive"}}});
  }
}

void check_split(const Params& p, int ranks, int least) {
  const auto shares = static_cast<int>(read_shares(p.split).size());
  if (ranks < least) {
    throw UsageError("split: one group has nobody to share the product with", {{{"ranks", 2}}}, "split");
  }
  if (shares > 0 && shares != ranks) {
    throw UsageError("split: " + p.split + " gives " + std::to_string(shares) +
                         (shares == 1 ? " share to " : " shares to ") + std::to_string(ranks) +
                         (ranks == 1 ? " group" : " groups"),
                     {{{"split", "adaptive"}}});
  }
  const std::int64_t columns = ranks * strip_unit;
  if (p.n < columns) {
    throw UsageError("n: " + std::to_string(p.n) + " columns are less than a strip of " + std::to_string(strip_unit) +
                         " for each of " + std::to_string(ranks) + " groups",
                     {{{"n", columns}}});
  }
}

SharedMatrices::SharedMatrices(Params params, const Communicator& ranks, int threads)
    : p_(std::move(params)),
      a_(ranks, elements(p_.m, p_.k)),
      b_(ranks, elements(p_.k, p_.n)),
      c_(ranks, elements(p_.m, p_.n)) {
  const Strip strip = shares_by_rate(p_.n, strip_unit, of_each(ranks, threads))[static_cast<std::size_t>(ranks.rank())];
  fill(b_, strip.begin * p_.k, strip.end * p_.k, matrix_b);
  fill(c_, strip.begin * p_.m, strip.end * p_.m, matrix_c);
  const std::int64_t size = p_.m * p_.k;
  fill(a_, size * ranks.rank() / ranks.size(), size * (ranks.rank() + 1) / ranks.size(), matrix_a);
  ranks.barrier();
}

void compute_in_turn(const SharedMatrices& matrices, const NextBlock& next, const Finish& finish,
                     const Multiply& multiply) {
  for (Block block = next(); block.elements() > 0; block = next()) {
    const auto& [rows, columns, inner] = block;
    const Params& p = matrices.params();
    const double start = now();
    multiply({.rows = rows.size(),
              .columns = columns.size(),
              .inner = inner.size(),
              .beta = inner.begin == 0 ? p.beta : 1.0},
             matrices.a().data() + inner.begin * p.m + rows.begin, matrices.column_of_b(columns.begin) + inner.begin,
             matrices.column_of_c(columns.begin) + rows.begin);
    finish(block, now() - start);
  }
}

SharedProduct::SharedProduct(const SharedMatrices& matrices, const Communicator& ranks, double weight,
                             ComputeBlocks compute)
    : matrices_(matrices),
      p_(matrices.params()),
      ranks_(ranks),
      compute_(std::move(compute)),
      devices_(ranks.maximum(drives_device() ? 1.0 : 0.0) > 0.0),
      control_(ranks, 1),
      accounts_(ranks, static_cast<std::size_t>(ranks.size()) + 1),
      rates_(ranks, static_cast<std::size_t>(ranks.size())),
      counts_(ranks, static_cast<std::size_t>(p_.n)),
      weights_(of_each(ranks, devices_ ? 1.0 : weight)),
      alone_(weights_) {}

void SharedProduct::meet() {
  constexpr auto pause = std::chrono::microseconds(100);
  const std::int64_t all = ++meetings_ * ranks_.size();
  control_[0].arrived.fetch_add(1);
  while (control_[0].arrived.load() < all) std::this_thread::sleep_for(pause);
}

double SharedProduct::compute(const NextBlock& next) {
  updates_ = 0;
  busy_ = 0.0;
  recent_ = {};
  finished_.clear();
  const double start = now();
  try {
    compute_(next, [&](const Block& block, double seconds) {
      const std::uint64_t counted = count_of(block);
      for (std::int64_t j = block.columns.begin; j < block.columns.end; ++j) {
        counts_[static_cast<std::size_t>(j)].fetch_add(counted);
      }
      updates_ += block.updates();
      busy_ += seconds;
      recent_.add(static_cast<double>(block.updates()), seconds);
      finished_.push_back({now() - start, block.updates()});
    });
  } catch (const std::exception& error) {
    failure_ = "group_" + std::to_string(ranks_.rank()) + ": " + error.what();
  }
  return now() - start;
}

void SharedProduct::agree_on_failure() const { agree(ranks_, failure_); }

void SharedProduct::warm_up() {
  run_blocks(once(share_of(weights_)));
  trace_ = {};
}

std::vector<double> SharedProduct::measure_alone() {
  constexpr auto pause = std::chrono::microseconds(200);
  const Block block = share_of(alone_);
  auto& turn = control_[0].turn;
  const std::int64_t mine = turns_ + ranks_.rank();
  turns_ += ranks_.size();
  while (turn.load() != mine) std::this_thread::sleep_for(pause);
  const double seconds = compute(once(block));
  turn.store(mine + 1);
  meet();
  agree_on_failure();
  ++calls_;
  alone_ = of_each(ranks_, flops_of_update * static_cast<double>(block.updates()) / seconds);
  return alone_;
}

double SharedProduct::run(const std::string& split) {
  if (split == "adaptive") return run_adaptive();
  const std::vector<double> given = read_shares(split);
  const auto& shares = split == "rates" ? alone_ : split == "equal" ? weights_ : given;
  return run_blocks(once(share_of(shares)));
}

double SharedProduct::run_adaptive() {
  const auto own = static_cast<std::size_t>(ranks_.rank());
  const bool first = in_product_.empty();
  const std::vector<double>& expected = first ? alone_ : in_product_;
  rates_[own] = expected[own] / flops_of_update;
  if (own == 0) std::ranges::for_each(accounts_.span(), &Account::clear);
  const Blocks blocks({.m = p_.m, .n = p_.n, .k = p_.k}, accounts_.span(), rates_.span(),
                      forecast(expected, weights_, first ? Measured::alone : Measured::in_product), devices_);
  const NextBlock next = [&] {
    constexpr auto pause = std::chrono::microseconds(100);
    if (updates_ > 0) blocks.tell(own, recent_.value());
    while (true) {
      if (const std::optional<Block> block = blocks.take(own)) return *block;
      std::this_thread::sleep_for(pause);
    }
  };
  const double seconds = run_blocks(next, [&] { blocks.leave(own); });
  const double rate = updates_ > 0 ? flops_of_update * static_cast<double>(updates_) / busy_ : expected[own];
  in_product_ = of_each(ranks_, rate);
  return seconds;
}

Block SharedProduct::share_of(const std::vector<double>& rates) const {
  const std::vector<Strip> strips = shares_by_rate(p_.n, strip_unit, rates);
  return {{0, p_.m}, strips[static_cast<std::size_t>(ranks_.rank())], {0, p_.k}};
}

double SharedProduct::run_blocks(const NextBlock& next, const std::function<void()>& leave) {
  meet();
  ranks_.barrier();  // nobody waits long: they begin at once
  double seconds = compute(next);
  if (leave) leave();
  meet();
  agree_on_failure();
  ++calls_;
  seconds = ranks_.maximum(seconds);
  trace_.add_call(finished_, seconds);
  return seconds;
}

std::vector<double> SharedProduct::elements_by_group() const {
  return of_each(ranks_, static_cast<double>(updates_) / static_cast<double>(p_.k));
}

Series SharedProduct::trace() const { return traces(trace_, ranks_, flops_of_update); }

std::int64_t SharedProduct::miscounted() const {
  const Block column{{0, p_.m}, {}, {0, p_.k}};
  const std::uint64_t wanted = static_cast<std::uint64_t>(calls_) * count_of(column) % count_modulus;
  return std::ranges::count_if(counts_.span(),
                               [&](const auto& count) { return count.load() % count_modulus != wanted; });
}

double SharedProduct::residual() const { return dgemm::residual(p_, calls_, matrices_.c()); }

Result measure_split(const Params& p, const Context& context) {
  const SharedMatrices matrices(p, context.ranks, static_cast<int>(context.places.size()));
  std::unique_ptr<Group> group;
  together(context.ranks, [&] { group = std::make_unique<Group>(matrices, context.places); });
  SharedProduct product(matrices, context.ranks, static_cast<double>(context.places.size()),
                        [&](const NextBlock& next, const Finish& finish) { group->compute(next, finish); });
  product.warm_up();
  const Work all = work(p);
  Metric rate{"flop_rate", "flop/s", {}, all};
  Metric sum_of_parts{"sum_of_parts", "flop/s", {}, {.counted = all.counted}};
  ByGroup alone;
  ByGroup parts;
  ByGroup shares;
  double total = 0.0;  // with the parts alone and the meetings, which take longer than a small product
  Watch watch;
  while (wants_more(p, static_cast<std::int64_t>(rate.samples.size()), total)) {
    const double start = now();
    const std::vector<double> rates = product.measure_alone();
    append(alone, rates);
    sum_of_parts.samples.push_back(std::accumulate(rates.begin(), rates.end(), 0.0));
    {
      const auto part = watch.part();
      rate.samples.push_back(all.counted / product.run(p.split));
    }
    total += context.ranks.maximum(now() - start);
    std::vector<double> values = product.elements_by_group();
    for (double& value : values) value /= static_cast<double>(elements(p.m, p.n));
    append(shares, values);
    for (double& value : values) value *= rate.samples.back();
    append(parts, values);
    const auto done = static_cast<std::int64_t>(rate.samples.size());
    context.progress(done, std::max(done, p.repetitions));
  }

  Result result;
  result.conditions = watch.conditions();
  const bool first = context.ranks.rank() == 0;
  result.verification.push_back(
      {"columns not computed once in each call", first ? static_cast<double>(product.miscounted()) : 0.0, 0.0});
  result.verification.push_back({"residual with a random vector", first ? product.residual() : 0.0, tolerance});
  context.ranks.barrier();
  rate.bounds.push_back({.kind = "measured",
                         .seconds = all.counted / median(sum_of_parts.samples),
                         .source = "the sum of the groups' rates, each measured alone"});
  result.metrics = {std::move(rate), std::move(sum_of_parts)};
  for (std::size_t group = 0; alone.size() <= most_shown && group < alone.size(); ++group) {
    const std::string name = "group_" + std::to_string(group);
    result.metrics.push_back({name + "_in_product", "flop/s", parts[group], {}});
    result.metrics.push_back({name + "_alone", "flop/s", alone[group], {}});
  }
  result.series.emplace_back("updates", product.trace());
  result.conditions.emplace_back("shares", medians(shares));
  result.conditions.emplace_back("rates_alone", medians(alone));
  result.conditions.emplace_back("libraries", Json::array(context.ranks.gather(group->library())));
  result.conditions.emplace_back("methods", Json::array(context.ranks.gather(group->method())));
  const Json::Object how = group->conditions();
  result.conditions.insert(result.conditions.end(), how.begin(), how.end());
  result.software = group->software();
  return result;
}

}  // namespace banzuke::dgemm
