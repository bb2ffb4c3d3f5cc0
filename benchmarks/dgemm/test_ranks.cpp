// One product shared by several ranks, with a plain loop in place of a library, and the checks when something is lost;
// where the backend has a device, the loops beside it instead. Exit status 1 when something is wrong.
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/agreement.hpp"
#include "core/testing.hpp"
#include "split.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::dgemm;

constexpr std::int64_t m = 20;
constexpr std::int64_t tall = 2000;  // rows enough for blocks that do not have them all
constexpr std::int64_t n = 500;
constexpr std::int64_t k = 7;

struct Form {
  std::int64_t rows;
  std::int64_t inner;
};
// Strips of columns, blocks of rows, and cuts of the inner dimension.
constexpr std::array<Form, 3> forms{{{m, k}, {tall, k}, {192, 768}}};

Params small(const Form& form = forms[0]) { return {.m = form.rows, .n = n, .k = form.inner}; }

auto scales(double beta) {
  return [beta](double value) { return beta * value; };
}

// By plain loops, for alpha = -1.
Multiply multiplies(const Params& p) {
  return [&p](const Piece& piece, const double* a, const double* b, double* c) {
    for (std::int64_t j = 0; j < piece.columns; ++j) {
      if (piece.beta != 1.0) std::transform(c + j * p.m, c + j * p.m + piece.rows, c + j * p.m, scales(piece.beta));
      for (std::int64_t l = 0; l < piece.inner; ++l) {
        for (std::int64_t i = 0; i < piece.rows; ++i) {
          c[i + j * p.m] -= a[i + l * p.m] * b[l + j * p.k];
        }
      }
    }
  };
}

ComputeBlocks in_turn(const SharedMatrices& matrices, Multiply multiply) {
  return [&matrices, multiply = std::move(multiply)](const NextBlock& next, const Finish& finish) {
    compute_in_turn(matrices, next, finish, multiply);
  };
}

class Cases : public RankTests {
 public:
  using RankTests::RankTests;

  bool run() {
    if (drives_device()) {  // which the other cases do not use
      device_beside_processors();
      return all_right();
    }
    for (const Form& form : forms) {
      all_ways(form);
      unlike_groups(form);
      slows_down_in_the_middle(form);
    }
    lost_strip();
    doubled_strip();
    replaced_block();
    replaced_cut();
    strip_that_was_not_computed();
    failing_group();
    return all_right();
  }

 private:
  static constexpr int threads = 1;
  static constexpr Strip whole{0, k};  // of the inner dimension

  Strip own_part() const {
    const std::vector<double> alike(static_cast<std::size_t>(ranks_.size()), 1.0);
    return shares_by_rate(n, strip_unit, alike)[static_cast<std::size_t>(ranks_.rank())];
  }

  // So many times this rank's part.
  NextBlock part_times(int times) const {
    return [part = own_part(), times]() mutable { return times-- > 0 ? Block{{0, m}, part, whole} : Block{}; };
  }

  void all_ways(const Form& form) {
    name_ = "every way computes each column once";
    Params params = small(form);
    params.beta = 0.5;  // once for each call, in however many cuts
    const SharedMatrices matrices(params, ranks_, threads);
    SharedProduct product(matrices, ranks_, threads, in_turn(matrices, multiplies(matrices.params())));
    product.warm_up();
    const std::vector<double> rates = product.measure_alone();
    expect(rates.size() == static_cast<std::size_t>(ranks_.size()), "a rate for each group");
    for (const double rate : rates) expect(rate > 0.0, "a rate is positive");
    std::string given = "1:3";
    for (int rank = 2; rank < ranks_.size(); ++rank) given += ":4";
    for (const char* split : {"equal", "rates", "adaptive", given.c_str()}) {
      expect(product.run(split) > 0.0, split);
      double sum = 0.0;
      for (const double computed : product.elements_by_group()) sum += computed;
      expect(sum == static_cast<double>(elements(form.rows, n)), split);
    }
    const std::vector<double> computed = product.elements_by_group();
    const auto of_column = static_cast<double>(form.rows);
    expect(ranks_.size() != 2 || (computed[0] == 144 * of_column && computed[1] == 356 * of_column),
           "a quarter and three, in whole strips");
    expect(product.calls() == 6, "calls");
    expect(product.miscounted() == 0, "each column once");
    expect(product.residual() <= tolerance, "the residual");
    ranks_.barrier();
  }

  void unlike_groups(const Form& form) {
    name_ = "a slow group has less to do";
    const bool slow = ranks_.rank() == 0;
    const SharedMatrices matrices(small(form), ranks_, threads);
    const Multiply multiply = multiplies(matrices.params());
    SharedProduct product(matrices, ranks_, threads,
                          in_turn(matrices, [&](const Piece& piece, const double* a, const double* b, double* c) {
                            if (slow) sleep_for(piece, matrices.params(), 1500);
                            multiply(piece, a, b, c);
                          }));
    const double equal = (static_cast<double>(n) / ranks_.size() - strip_unit) * static_cast<double>(form.rows);
    product.measure_alone();
    for (const char* split : {"rates", "adaptive"}) {
      product.run(split);
      expect(product.elements_by_group()[0] < equal, split);
    }
    expect_all_of(product.trace(), 2, form.rows * n * form.inner);
    expect(product.miscounted() == 0 && product.residual() <= tolerance, "the checks");
    ranks_.barrier();
  }

  // As a column takes `microseconds`.
  static void sleep_for(const Piece& piece, const Params& p, std::int64_t microseconds) {
    const std::int64_t updates = piece.rows * piece.columns * piece.inner;
    std::this_thread::sleep_for(std::chrono::microseconds(updates * microseconds / (p.m * p.k)));
  }

  // The lines of a trace together have each of so many elements once in each call, and end together.
  void expect_all_of(const Series& trace, std::int64_t calls, std::int64_t each_call) {
    std::int64_t computed = 0;
    for (const SeriesLine& line : trace.lines) {
      for (const std::int64_t value : line.values) computed += value;
      expect(line.times.back() == trace.lines.front().times.back(), "a trace ends with the others");
    }
    expect(trace.lines.size() == static_cast<std::size_t>(ranks_.size()), "a line for each group");
    expect(computed == each_call * calls, "a trace has each element once in each call");
  }

  void slows_down_in_the_middle(const Form& form) {
    name_ = "a group that slows down in the middle has less to do from then on";
    constexpr std::int64_t many = 2000;
    const SharedMatrices matrices({.m = form.rows, .n = many, .k = form.inner}, ranks_, threads);
    const Multiply multiply = multiplies(matrices.params());
    int blocks = 0;
    SharedProduct product(matrices, ranks_, threads,
                          in_turn(matrices, [&](const Piece& piece, const double* a, const double* b, double* c) {
                            const bool slow = ranks_.rank() == 0 && ++blocks > 2;  // alone, and its first block
                            sleep_for(piece, matrices.params(), slow ? 800 : 100);
                            multiply(piece, a, b, c);
                          }));
    product.measure_alone();
    product.run("adaptive");
    const double equal = static_cast<double>(many) / ranks_.size() - strip_unit;
    expect(product.elements_by_group()[0] < equal * static_cast<double>(form.rows), "less than its share");
    expect(product.trace().lines[0].values.size() > 1, "more than a block");
    ranks_.barrier();
  }

  void expect_failure(const SharedProduct& product, std::int64_t miscounted) {
    expect(product.miscounted() == miscounted, "columns are counted");
    expect(!(product.residual() <= tolerance), "the residual sees it");
    ranks_.barrier();
  }

  void lost_strip() {
    name_ = "a lost strip";
    const SharedMatrices matrices(small(), ranks_, threads);
    SharedProduct product(matrices, ranks_, threads, in_turn(matrices, multiplies(matrices.params())));
    const bool loses = ranks_.rank() + 1 == ranks_.size();
    product.run_blocks(part_times(loses ? 0 : 1));
    const double lost = ranks_.maximum(loses ? static_cast<double>(own_part().size()) : 0.0);
    expect_failure(product, static_cast<std::int64_t>(lost));
  }

  void doubled_strip() {
    name_ = "a doubled strip";
    const SharedMatrices matrices(small(), ranks_, threads);
    SharedProduct product(matrices, ranks_, threads, in_turn(matrices, multiplies(matrices.params())));
    const bool doubles = ranks_.rank() == 0;
    product.run_blocks(part_times(doubles ? 2 : 1));
    const double doubled = ranks_.maximum(doubles ? static_cast<double>(own_part().size()) : 0.0);
    expect_failure(product, static_cast<std::int64_t>(doubled));
  }

  // Instead of the first of its two blocks, the last rank computes the second one twice.
  void replaced_block() {
    name_ = "a block that was computed twice, in place of another of its size";
    const SharedMatrices matrices(small(), ranks_, threads);
    SharedProduct product(matrices, ranks_, threads, in_turn(matrices, multiplies(matrices.params())));
    const bool replaces = ranks_.rank() + 1 == ranks_.size();
    int taken = 0;
    product.run_blocks([&] {
      const bool second = taken > 0 || replaces;
      const Strip rows = second ? Strip{m / 2, m} : Strip{0, m / 2};
      return ++taken <= 2 ? Block{rows, own_part(), whole} : Block{};
    });
    const double wrong = ranks_.maximum(replaces ? static_cast<double>(own_part().size()) : 0.0);
    expect_failure(product, static_cast<std::int64_t>(wrong));
  }

  // The same for two cuts of the inner dimension.
  void replaced_cut() {
    name_ = "a cut that was computed twice, in place of another of its size";
    constexpr std::int64_t cut = 20;
    const SharedMatrices matrices({.m = m, .n = n, .k = 2 * cut}, ranks_, threads);
    SharedProduct product(matrices, ranks_, threads, in_turn(matrices, multiplies(matrices.params())));
    const bool replaces = ranks_.rank() + 1 == ranks_.size();
    int taken = 0;
    product.run_blocks([&] {
      const Strip inner = taken > 0 || replaces ? Strip{cut, 2 * cut} : Strip{0, cut};
      return ++taken <= 2 ? Block{{0, m}, own_part(), inner} : Block{};
    });
    const double wrong = ranks_.maximum(replaces ? static_cast<double>(own_part().size()) : 0.0);
    expect_failure(product, static_cast<std::int64_t>(wrong));
  }

  void strip_that_was_not_computed() {
    name_ = "a strip that was taken and not computed";
    bool computes = ranks_.rank() != 0;
    const SharedMatrices matrices(small(), ranks_, threads);
    const Multiply multiply = multiplies(matrices.params());
    SharedProduct product(matrices, ranks_, threads,
                          in_turn(matrices, [&](const Piece& piece, const double* a, const double* b, double* c) {
                            if (std::exchange(computes, true)) multiply(piece, a, b, c);
                          }));
    product.run("adaptive");
    expect_failure(product, 0);
  }

  // Whether a call ends on all ranks with the name of the last group.
  template <class Call>
  void expect_named(const char* what, Call call) {
    std::string words;
    try {
      call();
    } catch (const CommonFailure& failure) {
      words = failure.what();
    }
    const std::string name = "group_" + std::to_string(ranks_.size() - 1) + ": the device is lost";
    expect(words.find(name) != std::string::npos, what);
  }

  void failing_group() {
    name_ = "a group that fails";
    const bool fails = ranks_.rank() + 1 == ranks_.size();
    const SharedMatrices matrices(small(forms.back()), ranks_, threads);  // the others would wait for its gifts
    const ComputeBlocks loops = in_turn(matrices, multiplies(matrices.params()));
    SharedProduct product(matrices, ranks_, threads, [&](const NextBlock& next, const Finish& finish) {
      if (fails) throw std::runtime_error("the device is lost");
      loops(next, finish);
    });
    expect_named("alone", [&] { product.measure_alone(); });
    expect_named("in the product", [&] { product.run("adaptive"); });
    ranks_.barrier();
  }

  // The last rank is the device; the others are plain loops.
  void device_beside_processors() {
    const std::array<Params, 5> shapes{{
        {.m = 20, .n = 500, .k = 7},
        {.m = 1, .n = 193, .k = 1, .piece = 48},                      // one column over a piece
        {.m = 33, .n = 487, .k = 1, .piece = 5},                      // pieces that are no multiples of a strip
        {.m = 1, .n = 500, .k = 65, .overlap = "no", .piece = 96},    // one piece after the other
        {.m = 257, .n = 385, .k = 31, .overlap = "yes", .piece = 1},  // each column by itself
    }};
    const bool last = ranks_.rank() + 1 == ranks_.size();
    for (const Params& shape : shapes) {
      name_ = "a device beside processors, " + std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
              std::to_string(shape.k);
      const SharedMatrices matrices(shape, ranks_, threads);
      std::unique_ptr<Group> device;
      if (last) device = std::make_unique<Group>(matrices, std::vector<std::vector<int>>{});
      const ComputeBlocks loops = in_turn(matrices, multiplies(matrices.params()));
      SharedProduct product(matrices, ranks_, threads, [&](const NextBlock& next, const Finish& finish) {
        if (last) return device->compute(next, finish);
        loops(next, finish);
      });
      product.warm_up();
      product.measure_alone();
      for (const char* split : {"equal", "rates", "adaptive"}) product.run(split);
      expect(product.miscounted() == 0, "each column once");
      expect(product.residual() <= tolerance, "the residual");
      ranks_.barrier();
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  return Cases(ranks).run() ? 0 : 1;
}
