// The matrix in the processors' memory.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "store.hpp"
#include "swap.hpp"
#include "update.hpp"

namespace banzuke::hpl {

class HostStore : public Store {
 public:
  HostStore(const Params& params, const Grid& grid, const std::vector<std::vector<int>>& places);

  const Distribution& distribution() const override { return matrix_; }
  void generate() override { matrix_.generate(); }
  void fill(const std::function<double(std::int64_t, std::int64_t)>& element) override { matrix_.fill(element); }
  bool queues() const override { return false; }

  Panel& panel(int number) override { return panels_.at(static_cast<std::size_t>(number)); }
  void fetch(Panel& panel) override;
  void factorise(Panel& panel, PanelFactorization& factorization, Profile&) override { factorization.run(panel); }
  void take(const Panel& panel) override;

  void start_exchange(int part, const Panel& panel, std::int64_t begin, std::int64_t end) override;
  void finish_exchange(int part) override;
  void poll_exchanges() override;
  double update(const Panel& panel, int part, std::int64_t begin, std::int64_t end, int looks,
                const std::function<void()>& poll) override;
  void finish(Profile&) override {}

  void subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x,
                       std::span<double> sides) override;
  Block block(std::int64_t row, std::int64_t column, std::int64_t) override {
    return {.start = matrix_.at(row, column), .ld = matrix_.ld};
  }
  std::vector<double> row_sums(std::span<const double> x) override;

  Json::Object software() const override;
  Json::Object conditions() const override { return {}; }
  std::vector<Verification> checks() const override { return {}; }

 private:
  HostRows* exchange(int part) { return exchanges_.at(static_cast<std::size_t>(part)).get(); }

  Matrix matrix_;
  Update update_;
  std::array<Panel, 2> panels_;
  std::array<std::unique_ptr<HostRows>, 2> exchanges_;  // none with one process row
};

}  // namespace banzuke::hpl
