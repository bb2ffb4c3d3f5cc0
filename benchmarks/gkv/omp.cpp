#include <memory>
#include <variant>

#include "bracket.hpp"
#include "diff123.hpp"
#include "diff45.hpp"
#include "gkv.hpp"
#include "intgrl.hpp"

namespace banzuke::gkv {
namespace {

using Kernel =
    std::variant<std::unique_ptr<Bracket>, std::unique_ptr<Intgrl>, std::unique_ptr<Diff45>, std::unique_ptr<Diff123>>;

Kernel make_kernel(const Params& params, const Communicator& ranks) {
  if (params.kernel == "fft") return std::make_unique<Bracket>(params, ranks);
  if (params.kernel == "intgrl") return std::make_unique<Intgrl>(params, ranks);
  if (params.kernel == "diff45") return std::make_unique<Diff45>(params, ranks);
  return std::make_unique<Diff123>(params, ranks);
}

}  // namespace

struct Gkv::Impl {
  Kernel kernel;
  const Communicator& ranks;
};

Gkv::Gkv(const Params& params, const Communicator& ranks)
    : impl_(make_hidden<Impl>(Impl{.kernel = make_kernel(params, ranks), .ranks = ranks})) {}

Times Gkv::run() {
  return std::visit([](auto& kernel) { return kernel->run(); }, impl_->kernel);
}

Work Gkv::work() const {
  return std::visit([](const auto& kernel) { return kernel->work(); }, impl_->kernel);
}

std::vector<Verification> Gkv::check() {
  auto found = std::visit([](auto& kernel) { return kernel->check(); }, impl_->kernel);
  for (Verification& one : found) one.value = impl_->ranks.maximum(one.value);
  return found;
}

double Gkv::working_set() const {
  return std::visit([](const auto& kernel) { return kernel->working_set(); }, impl_->kernel);
}

std::string Gkv::method() const {
  return std::visit([](const auto& kernel) { return kernel->method(); }, impl_->kernel);
}

}  // namespace banzuke::gkv
