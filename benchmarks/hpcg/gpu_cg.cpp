#include "gpu_cg.hpp"

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"
#include "gpu_launches.hpp"

namespace banzuke::hpcg {
Cg::Cg(const SubCommunicator& ranks, std::int64_t n, std::int64_t external, std::int64_t most_sums,
       const gpu::Stream& stream)
    : ranks_(ranks),
      stream_(stream),
      n_(n),
      b_(index(n)),
      x_(index(n)),
      p_(index(n + external)),
      ap_(index(n)),
      r_(index(n)),
      z_(index(n + external)),
      sums_(index(std::max(most_sums, sum_blocks(n)))),
      scalars_(Scalar::count),
      norms_(2),
      part_(1) {
  for (auto* one : {&b_, &x_, &p_, &ap_, &r_, &z_, &sums_, &scalars_}) {
    gpu::set_bytes(one->data(), 0, one->size(), stream_);
  }
}

void Cg::finish(std::int64_t blocks, Sum sum) {
  if (ranks_.size() > 1) {
    add_other_ranks(blocks);
    blocks = 1;
  }
  launch_blocks(stream_, 1, Finish{sum, blocks, sums_.data(), scalars_.data()});
}

// Adds up the sums of thread blocks over all ranks.
void Cg::add_other_ranks(std::int64_t blocks) {
  launch_blocks(stream_, 1, Finish{Sum::part, blocks, sums_.data(), scalars_.data()});
  gpu::copy(part_.data(), scalars_.data() + Scalar::part, 1, stream_);
  stream_.wait();
  const double start = now();
  ranks_.sum(part_.span());
  allreduce_ += now() - start;
  gpu::copy(sums_.data(), part_.data(), 1, stream_);
}

void Cg::dot(gpu::DevicePointer<double> x, gpu::DevicePointer<double> y, Sum sum) {
  launch_blocks(stream_, sum_blocks(n_), Summed<DotValue>{n_, {x, y}, sums_.data()});
  finish(sum_blocks(n_), sum);
}

void Cg::direct(gpu::DevicePointer<double> z) {
  launch_elements(stream_, n_, Direction{scalars_.data(), z, p_.data()});
}

void Cg::step() {
  launch_blocks(stream_, sum_blocks(n_),
                Summed<StepValue>{n_, {scalars_.data(), p_.data(), ap_.data(), x_.data(), r_.data()}, sums_.data()});
  finish(sum_blocks(n_), Sum::rr);
}

void Cg::fetch_norm(int to) { gpu::copy(norms_.data() + to, scalars_.data() + Scalar::rr, 1, stream_); }

double Cg::norm(int of) const { return std::sqrt(norms_.span()[static_cast<std::size_t>(of)]); }

void Cg::lap(Part part) {
  parts_.push_back(part);
  if (moments_.size() < parts_.size()) moments_.emplace_back();
  moments_[parts_.size() - 1].record(stream_);
}

void Cg::read_laps() {
  profile_.begin();
  profile_.add(Part::allreduce, allreduce_);
  profile_.add(Part::dot, -allreduce_);
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    profile_.add(parts_[i], moments_[i].seconds_since(moments_[i - 1]));
  }
}

Convergence Cg::solve(const Method& method, std::int64_t iterations, double reduction,
                      const std::function<void(std::int64_t)>& report) {
  const bool attended = reduction > 0.0 || report;
  const auto z = method.precondition ? z_.data() : r_.data();
  parts_.clear();
  allreduce_ = 0.0;
  lap(Part::waxpby);  // marks the beginning
  // x = 0 and p = x; A p is computed although it is 0, as in the official code.
  gpu::set_bytes(x_.data(), 0, x_.size(), stream_);
  gpu::set_bytes(p_.data(), 0, p_.size(), stream_);
  lap(Part::waxpby);
  method.multiply(p_.data(), ap_.data(), sums_.data());
  lap(Part::spmv);
  launch_elements(stream_, n_, Difference{b_.data(), ap_.data(), r_.data()});
  lap(Part::waxpby);
  dot(r_.data(), r_.data(), Sum::rr);
  fetch_norm(0);
  lap(Part::dot);
  Convergence out;
  if (attended) stream_.wait();
  out.first = out.last = attended ? norm(0) : 0.0;
  while (out.iterations < iterations && (!attended || !(out.reduction() <= reduction))) {
    if (method.precondition) method.precondition(r_.data(), z_.data());
    lap(Part::mg);
    dot(r_.data(), z, out.iterations == 0 ? Sum::first_rz : Sum::rz);
    lap(Part::dot);
    direct(z);
    lap(Part::waxpby);
    const std::int64_t sums = method.multiply(p_.data(), ap_.data(), sums_.data());
    lap(Part::spmv);
    if (sums > 0) {
      finish(sums, Sum::pap);
    } else {
      dot(p_.data(), ap_.data(), Sum::pap);
    }
    lap(Part::dot);
    step();
    lap(Part::waxpby);
    ++out.iterations;
    if (!attended) continue;
    fetch_norm(1);
    stream_.wait();
    out.last = norm(1);
    if (report) report(out.iterations);
  }
  if (!attended) {
    fetch_norm(1);
    stream_.wait();
    out.first = norm(0);
    out.last = norm(1);
  }
  read_laps();
  return out;
}

double Cg::bytes() const {
  double total = 0.0;
  for (const auto* one : {&b_, &x_, &p_, &ap_, &r_, &z_, &sums_, &scalars_}) {
    total += static_cast<double>(one->bytes());
  }
  return total;
}

}  // namespace banzuke::hpcg
