#include "bracket.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bracket_plane.hpp"
#include "core/all_to_all.hpp"
#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/subcommunicator.hpp"

namespace banzuke::gkv {
namespace {

constexpr std::int64_t fields = 2;  // psi and chi are the first two arrays that go through the stages

std::int64_t blocks(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

std::span<const double> numbers(const Array<Complex>& of) {
  return {reinterpret_cast<const double*>(of.data()), 2 * of.size()};
}
std::span<double> numbers(Array<Complex>& of) { return {reinterpret_cast<double*>(of.data()), 2 * of.size()}; }

}  // namespace

Dealt::Dealt(const Params& params, int among)
    : all(shape_of(params)),
      ranks(among),
      own(blocks(all.ky, ranks)),
      each(blocks(all_planes(), ranks)),
      numbers(own * all.kx) {}

bool Dealt::messages_fit() const {
  return 2.0 * static_cast<double>(numbers) * static_cast<double>(each) <= std::numeric_limits<int>::max();
}

std::int64_t Dealt::count(int rank) const { return std::clamp(all.ky - first(rank), std::int64_t{0}, own); }
std::int64_t Dealt::planes(int rank) const { return std::clamp(all_planes() - rank * each, std::int64_t{0}, each); }

struct Bracket::Impl {
  // Seconds of a thread's work.
  struct alignas(64) Clock {
    double fft = 0.0;
    double other = 0.0;
    double finished = 0.0;
  };

  Impl(const Params& given, const Communicator& world)
      : params(given),
        ranks(&world),
        all(world, 0, world.rank()),
        per_host(hosts_of(world).fullest),
        dealt(given, world.size()),
        plane(given.nx, given.ny, 2 * given.nxw, 2 * given.nyw, fft::kernels(), loops()),
        f(points()),
        out(points()),
        psi(static_cast<std::size_t>(dealt.all_planes() * dealt.numbers)),
        chi(psi.size()),
        gradients(static_cast<std::size_t>(dealt.each * gradients_each())),
        clocks(static_cast<std::size_t>(omp_get_max_threads())) {
    const auto size = static_cast<std::size_t>(all.size() * dealt.each * dealt.numbers);
    for (auto* both : {&leaving, &arrived, &returning, &returned}) {
      for (auto& one : *both) one = std::make_unique<Array<Complex>>(size);
    }
    scratch.resize(clocks.size());
#pragma omp parallel
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      scratch[thread] = std::make_unique<Plane::Scratch>(plane);
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = {};
    }
  }

  std::int64_t gradients_each() const { return Plane::gradients(2 * params.nxw, 2 * params.nyw); }
  std::size_t points() const { return static_cast<std::size_t>(dealt.all_planes() * dealt.all.v * dealt.numbers); }
  // Returns where this rank's part of plane p of f, or of the result, begins.
  std::int64_t at(std::int64_t v, std::int64_t p) const {
    return ((p / dealt.all.z * dealt.all.v + v) * dealt.all.z + p % dealt.all.z) * dealt.numbers;
  }

  // Returns the number of arrays that go through the stages: psi, chi, and f of each v.
  std::int64_t things() const { return fields + dealt.all.v; }

  void pack(std::int64_t thing, std::int64_t p) {
    const Complex* from = thing == 0   ? psi.data() + p * dealt.numbers
                          : thing == 1 ? chi.data() + p * dealt.numbers
                                       : f.data() + at(thing - fields, p);
    std::copy_n(from, dealt.numbers, leaving[thing % 2]->data() + p * dealt.numbers);
  }

  void unpack(std::int64_t thing, std::int64_t p) {
    std::copy_n(returned[thing % 2]->data() + p * dealt.numbers, dealt.numbers, out.data() + at(thing - fields, p));
  }

  void transform(std::int64_t thing, std::int64_t p, Plane::Scratch& own) {
    const std::int64_t distance = dealt.each * dealt.numbers;
    const Rows<const Complex> in{arrived[thing % 2]->data() + p * dealt.numbers, dealt.own, distance};
    Gradients* of = gradients.data() + p * gradients_each();
    if (thing == 0) {
      plane.keep_psi(in, of, own);
    } else if (thing == 1) {
      plane.keep_chi(in, of, own);
    } else {
      plane.bracket(in, of, velocity(params, thing - fields),
                    {returning[thing % 2]->data() + p * dealt.numbers, dealt.own, distance}, own);
    }
  }

  // Exchanges the data of a step between ranks; only the first thread calls MPI, as promised to it.
  void exchange(std::int64_t step) {
    if (const std::int64_t thing = step - 1; thing >= 0 && thing < things()) {
      all.all_to_all(numbers(std::as_const(*leaving[thing % 2])), numbers(*arrived[thing % 2]));
    }
    if (const std::int64_t thing = step - 3; thing >= fields && thing < things()) {
      all.all_to_all(numbers(std::as_const(*returning[thing % 2])), numbers(*returned[thing % 2]));
    }
  }

  // The work of a step that threads share: each takes the next plane when it has finished one.
  void work(std::int64_t step, Clock& clock, Plane::Scratch& own) {
    const auto count = [&](std::int64_t thing, std::int64_t first, std::int64_t these) {
      return thing >= first && thing < things() ? these : 0;
    };
    const std::int64_t own_planes = dealt.planes(all.rank());
    const double begun = now();
#pragma omp for schedule(dynamic) nowait
    for (std::int64_t p = 0; p < count(step - 2, 0, own_planes); ++p) transform(step - 2, p, own);
    const double transformed = now();
#pragma omp for schedule(dynamic, 4) nowait
    for (std::int64_t p = 0; p < count(step, 0, dealt.all_planes()); ++p) pack(step, p);
#pragma omp for schedule(dynamic, 4) nowait
    for (std::int64_t p = 0; p < count(step - 4, fields, dealt.all_planes()); ++p) unpack(step - 4, p);
    clock.finished = now();
    clock.fft += transformed - begun;
    clock.other += clock.finished - transformed;
  }

  Times run() {
    std::ranges::fill(clocks, Clock{});
    double exchanging = 0.0;
    double waited = 0.0;  // for messages, while no thread worked
    const double begun = now();
#pragma omp parallel
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      Clock& clock = clocks[thread];
      for (std::int64_t step = 0; step < things() + 4; ++step) {
        double started = 0.0;
        double ended = 0.0;
        if (thread == 0) {
          started = now();
          exchange(step);
          ended = now();
        }
        work(step, clock, *scratch[thread]);
#pragma omp barrier
        if (thread == 0) {
          double last = started;
          for (std::size_t other = 1; other < clocks.size(); ++other) last = std::max(last, clocks[other].finished);
          exchanging += ended - started;
          waited += std::max(0.0, ended - last);
        }
#pragma omp barrier
      }
    }
    const double worked = now() - begun - waited;
    Clock sum;
    for (const Clock& clock : clocks) {
      sum.fft += clock.fft;
      sum.other += clock.other;
    }
    Times times;
    times.parts.at(static_cast<std::size_t>(Part::fft)) = worked * sum.fft / (sum.fft + sum.other);
    times.parts.at(static_cast<std::size_t>(Part::alltoall)) = waited;
    times.parts.at(static_cast<std::size_t>(Part::other)) = worked * sum.other / (sum.fft + sum.other);
    times.overlapped = exchanging - waited;
    return times;
  }

  // Calls pass(mode) for this rank's modes of a plane in memory order.
  template <class Pass>
  void each_mode(std::int64_t p, std::int64_t v, const Pass& pass) const {
    for (std::int64_t i = 0; i < dealt.count(all.rank()); ++i) {
      for (std::int64_t kx = -params.nx; kx <= params.nx; ++kx) {
        pass(Mode{.kx = kx, .ky = dealt.first(all.rank()) + i, .z = p % dealt.all.z, .v = v, .m = p / dealt.all.z});
      }
    }
  }

  void fill(Data data) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr Complex nothing{nan, nan};  // so that the check sees what a run does not write
    const auto make = [&](Field field, Complex* to, std::int64_t p, std::int64_t v) {
      each_mode(p, v, [&](const Mode& mode) {
        const std::complex<double> value = mode_of(data, field, params, mode);
        *to++ = {value.real(), value.imag()};
      });
    };
#pragma omp parallel for schedule(static)
    for (std::int64_t p = 0; p < dealt.all_planes(); ++p) {
      make(Field::psi, psi.data() + p * dealt.numbers, p, 0);
      make(Field::chi, chi.data() + p * dealt.numbers, p, 0);
      for (std::int64_t v = 0; v < dealt.all.v; ++v) {
        make(Field::f, f.data() + at(v, p), p, v);
        std::fill_n(out.data() + at(v, p), dealt.numbers, nothing);
      }
    }
  }

  Params params;
  const Communicator* ranks;
  SubCommunicator all;
  std::int64_t per_host;  // ranks of the fullest host
  Dealt dealt;
  Plane plane;
  Array<Complex> f;
  Array<Complex> out;
  Array<Complex> psi;
  Array<Complex> chi;
  Array<Gradients> gradients;
  // Two of each, so that the next array is packed while one travels, ...
  using Buffers = std::array<std::unique_ptr<Array<Complex>>, 2>;
  Buffers leaving;
  Buffers arrived;
  Buffers returning;
  Buffers returned;
  std::vector<Clock> clocks;
  std::vector<std::unique_ptr<Plane::Scratch>> scratch;
};

double bracket_footprint(const Params& params, int ranks) {
  const Dealt dealt(params, ranks);
  const auto part = static_cast<double>(sizeof(Complex)) * static_cast<double>(dealt.numbers);
  const auto planes = static_cast<double>(dealt.all_planes());
  const std::int64_t points_x = 2 * params.nxw;
  const std::int64_t points_y = 2 * params.nyw;
  constexpr double buffers = 8.0;
  return part * planes * (2.0 * static_cast<double>(dealt.all.v) + static_cast<double>(fields)) +
         buffers * part * static_cast<double>(dealt.each) * ranks +
         static_cast<double>(sizeof(Gradients)) *
             static_cast<double>(dealt.each * Plane::gradients(points_x, points_y)) +
         Plane::scratch_bytes(dealt.all.modes(), points_x, points_y) * omp_get_max_threads();
}

namespace {

// Returns the flops of transforming a plane of one function that is real in real space.
double transform_flops(const Params& params) {
  const auto x = static_cast<double>(2 * params.nxw);
  const auto y = static_cast<double>(2 * params.nyw);
  return 5.0 * static_cast<double>(params.ny + 1) * x * std::log2(x) + 2.5 * x * y * std::log2(y);
}

// Returns the flops of the derivatives of one field in a plane.
double gradient_flops(const Params& params) {
  constexpr double factors = 4.0;  // i kx and i ky times a mode
  return 2.0 * transform_flops(params) + factors * static_cast<double>(shape_of(params).modes());
}

}  // namespace

double plane_flops(const Params& params) {
  constexpr double product = 7.0;  // per point
  constexpr double scaling = 2.0;  // per mode
  return gradient_flops(params) + product * static_cast<double>(4 * params.nxw * params.nyw) + transform_flops(params) +
         scaling * static_cast<double>(shape_of(params).modes());
}

double bracket_flops(const Params& params) {
  const Shape all = shape_of(params);
  return static_cast<double>(all.z * all.m) *
         (static_cast<double>(all.v) * plane_flops(params) + static_cast<double>(fields) * gradient_flops(params));
}

Bracket::Bracket(const Params& params, const Communicator& ranks) : impl_(make_hidden<Impl>(params, ranks)) {
  fill(Data::random);
}

void Bracket::fill(Data data) { impl_->fill(data); }
Times Bracket::run() { return impl_->run(); }

Work Bracket::work() const {
  const Dealt& dealt = impl_->dealt;
  const auto ranks = static_cast<double>(impl_->all.size());
  const auto points = static_cast<double>(dealt.all.points());
  const auto of_fields = static_cast<double>(fields * dealt.all_planes() * dealt.all.modes());
  Work all{.counted = points,
           .demand = {{"memory.bytes", sizeof(Complex) * (2.0 * points + of_fields)},
                      {"flops.fp64", bracket_flops(impl_->params)}}};
  // Each rank of the fullest host sends to each rank elsewhere a part of psi, one of chi, and two for each v.
  const auto here = static_cast<double>(impl_->per_host);
  if (ranks > here) {
    const double part = sizeof(Complex) * static_cast<double>(dealt.each * dealt.numbers);
    const auto exchanges = static_cast<double>(fields + 2 * dealt.all.v);
    all.demand.push_back(
        {.resource = "link.bytes", .amount = exchanges * here * (ranks - here) * part, .busiest = "host"});
  }
  return all;
}

std::vector<Verification> Bracket::check() {
  std::vector<Verification> out;
  const auto add = [&](const char* quantity, double error) {
    out.push_back({quantity, impl_->ranks->maximum(error), bracket_tolerance});
  };
  add("max |bracket - sum over modes| / (eps ln n |grad psi| |grad f|)", against_sums());
  fill(Data::two_modes);
  run();
  add("max |bracket of two modes - known| / (eps ln n |grad psi| |grad f|)", against_product());
  return out;
}

double Bracket::working_set() const { return bracket_footprint(impl_->params, impl_->all.size()); }
std::string Bracket::method() const { return fft::kernels().name; }
std::int64_t Bracket::size() const { return static_cast<std::int64_t>(impl_->out.size()); }
Complex* Bracket::result() { return impl_->out.data(); }

// ------------------------------------------------------------------------------------------------------ the checks

double Bracket::against_sums() const {
  const Dealt& dealt = impl_->dealt;
  const Shape& all = dealt.all;
  const int rank = impl_->all.rank();
  const std::int64_t own = dealt.count(rank) * all.kx;
  const std::int64_t points = own * dealt.all_planes() * all.v;
  // Check all points, or as many as take about a second, spread evenly.
  constexpr std::int64_t most_terms = 10'000'000;
  const std::int64_t checked = std::min(points, std::max(most_terms / (4 * all.modes()), std::int64_t{16}));
  double worst = 0.0;
#pragma omp parallel for schedule(dynamic) reduction(max : worst)
  for (std::int64_t i = 0; i < checked; ++i) {
    const auto point = static_cast<std::int64_t>(static_cast<__int128>(points) * (2 * i + 1) / (2 * checked));
    const std::int64_t p = point / own / all.v;
    const std::int64_t v = point / own % all.v;
    const std::int64_t row = point % own / all.kx;
    const std::int64_t column = point % own % all.kx;
    const Complex found = impl_->out[static_cast<std::size_t>(impl_->at(v, p) + row * all.kx + column)];
    const Mode mode{
        .kx = column - impl_->params.nx, .ky = dealt.first(rank) + row, .z = p % all.z, .v = v, .m = p / all.z};
    const double error = sum_error(impl_->params, mode, {found.re, found.im});
    worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  }
  return worst;
}

double Bracket::against_product() const {
  const Dealt& dealt = impl_->dealt;
  const Shape& all = dealt.all;
  double worst = 0.0;
#pragma omp parallel for schedule(static) reduction(max : worst)
  for (std::int64_t p = 0; p < dealt.all_planes(); ++p) {
    for (std::int64_t v = 0; v < all.v; ++v) {
      const Complex* found = impl_->out.data() + impl_->at(v, p);
      impl_->each_mode(p, v, [&](const Mode& mode) {
        const double error = product_error(impl_->params, mode, {found->re, found->im});
        worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
        ++found;
      });
    }
  }
  return worst;
}

}  // namespace banzuke::gkv
