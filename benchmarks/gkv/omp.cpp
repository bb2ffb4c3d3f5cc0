#include <variant>

#include "bracket.hpp"
#include "gkv.hpp"

namespace banzuke::gkv {

struct Gkv::Impl {
  Impl(const Params& params, const Communicator& ranks) : kernel(std::in_place_type<Bracket>, params, ranks) {}

  std::variant<Bracket> kernel;
};

Gkv::Gkv(const Params& params, const Communicator& ranks) : impl_(make_hidden<Impl>(params, ranks)) {}

Times Gkv::run() {
  return std::visit([](auto& kernel) { return kernel.run(); }, impl_->kernel);
}

Work Gkv::work() const {
  return std::visit([](const auto& kernel) { return kernel.work(); }, impl_->kernel);
}

std::vector<Verification> Gkv::check() {
  return std::visit([](auto& kernel) { return kernel.check(); }, impl_->kernel);
}

double Gkv::working_set() const {
  return std::visit([](const auto& kernel) { return kernel.working_set(); }, impl_->kernel);
}

std::string Gkv::method() const {
  return std::visit([](const auto& kernel) { return kernel.method(); }, impl_->kernel);
}

}  // namespace banzuke::gkv
