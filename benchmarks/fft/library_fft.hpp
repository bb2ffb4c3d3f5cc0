// The class for backends that call a library; included once, by the source that defines `candidate`.
// NOLINTBEGIN(misc-definitions-in-headers)
#pragma once

#include "core/array.hpp"
#include "core/clock.hpp"
#include "fft.hpp"
#include "library.hpp"

namespace banzuke::fft {

extern const Candidate& candidate;

const int most_ranks = 1;
const bool of_devices = false;

Problem problem(const Params& params, int ranks) { return problem_on_host(params, ranks); }

struct Fft::Impl {
  explicit Impl(const Params& params)
      : in(static_cast<std::size_t>(params.n)),
        out(in.size()),
        begun(now()),
        library(candidate, params.n, in.data(), out.data(), params.planning == "measure"),
        planning(now() - begun) {}

  Array<Complex> in;
  Array<Complex> out;
  double begun;
  Library library;
  double planning;
};

Fft::Fft(const Params& params, const Split& /*split*/, const Communicator& /*ranks*/)
    : impl_(make_hidden<Impl>(params)) {}

std::int64_t Fft::size() const { return static_cast<std::int64_t>(impl_->in.size()); }
void Fft::fill() { fft::fill(in(), size(), in_order()); }
Complex* Fft::in() { return impl_->in.data(); }
Complex* Fft::out() { return impl_->out.data(); }
Order Fft::in_order() const { return {}; }
Order Fft::out_order() const { return {}; }
Times Fft::run() {
  const double begun = now();
  impl_->library.run(in(), out());
  return {.parts = {now() - begun}};
}
void Fft::run_back() { impl_->library.run(out(), in()); }
const std::string& Fft::method() const { return impl_->library.version(); }
double Fft::planning_seconds() const { return impl_->planning; }
Json::Object Fft::software() const { return {}; }
Json::Object Fft::conditions() const { return {}; }
std::vector<Verification> Fft::checks() const { return {}; }

}  // namespace banzuke::fft
// NOLINTEND(misc-definitions-in-headers)
