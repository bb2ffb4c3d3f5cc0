// Compares the planes of one v on all threads with the same as a physicist would write it with FFTW: modes times i kx
// and i ky, a transform of each to real space, the product, and a transform back. FFTW is left out if its library is
// not installed.
#include "bench_bracket.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <vector>

#include "bracket.hpp"
#include "bracket_plane.hpp"
#include "core/paired.hpp"

namespace banzuke::gkv {
namespace {

using Number = std::complex<double>;

// fftw_iodim64
struct Length {
  std::ptrdiff_t n;
  std::ptrdiff_t in;
  std::ptrdiff_t out;
};

class Fftw {
 public:
  // Real space is n_y rows of n_x points, and modes are n_y / 2 + 1 rows of n_x.
  Fftw(std::int64_t points_x, std::int64_t points_y) {
    void* library = dlopen("libfftw3.so.3", RTLD_NOW);
    if (library == nullptr) return;
    const auto load = [&]<class Function>(Function*& function, const char* name) {
      function = reinterpret_cast<Function*>(dlsym(library, name));
    };
    void* (*plan_to_real)(int, const Length*, int, const Length*, Number*, double*, unsigned) = nullptr;
    void* (*plan_to_modes)(int, const Length*, int, const Length*, double*, Number*, unsigned) = nullptr;
    load(plan_to_real, "fftw_plan_guru64_dft_c2r");
    load(plan_to_modes, "fftw_plan_guru64_dft_r2c");
    load(execute_to_real_, "fftw_execute_dft_c2r");
    load(execute_to_modes_, "fftw_execute_dft_r2c");
    Array<Number> modes(static_cast<std::size_t>(points_x * (points_y / 2 + 1)));
    Array<double> real(static_cast<std::size_t>(points_x * points_y));
    const std::vector<Length> lengths{{points_x, 1, 1}, {points_y, points_x, points_x}};
    constexpr unsigned measure = 0;
    to_real_ = plan_to_real(2, lengths.data(), 0, nullptr, modes.data(), real.data(), measure);
    to_modes_ = plan_to_modes(2, lengths.data(), 0, nullptr, real.data(), modes.data(), measure);
  }

  bool there() const { return to_real_ != nullptr && to_modes_ != nullptr; }
  void to_real(Number* modes, double* real) const { execute_to_real_(to_real_, modes, real); }
  void to_modes(double* real, Number* modes) const { execute_to_modes_(to_modes_, real, modes); }

 private:
  void (*execute_to_real_)(void*, Number*, double*) = nullptr;
  void (*execute_to_modes_)(void*, double*, Number*) = nullptr;
  void* to_real_ = nullptr;
  void* to_modes_ = nullptr;
};

// The straightforward way, one plane after the other.
class Written {
 public:
  Written(const Params& params, const Fftw& fftw)
      : fftw_(fftw),
        nx_(params.nx),
        ny_(params.ny),
        x_(2 * params.nxw),
        y_(2 * params.nyw),
        modes_(static_cast<std::size_t>(x_ * (y_ / 2 + 1))),
        along_x_(static_cast<std::size_t>(x_ * y_)),
        along_y_(along_x_.size()) {}

  void gradient(const Complex* h, double* along_x, double* along_y) {
    for (const bool of_x : {true, false}) {
      for (std::size_t i = 0; i < modes_.size(); ++i) modes_[i] = 0.0;
      for (std::int64_t ky = 0; ky <= ny_; ++ky) {
        for (std::int64_t kx = -nx_; kx <= nx_; ++kx) {
          const Complex& mode = h[ky * (2 * nx_ + 1) + kx + nx_];
          const auto k = static_cast<double>(of_x ? kx : ky);
          modes_[static_cast<std::size_t>(ky * x_ + (kx < 0 ? kx + x_ : kx))] = {-k * mode.im, k * mode.re};
        }
      }
      fftw_.to_real(modes_.data(), of_x ? along_x : along_y);
    }
  }

  // `fields`: the derivatives of psi along x and along y, then those of chi.
  void bracket(const Complex* h, const double* fields, double v, Complex* out) {
    gradient(h, along_x_.data(), along_y_.data());
    const auto points = static_cast<std::int64_t>(along_x_.size());
    for (std::int64_t i = 0; i < points; ++i) {
      along_x_[static_cast<std::size_t>(i)] =
          (fields[i] - v * fields[2 * points + i]) * along_y_[static_cast<std::size_t>(i)] -
          (fields[points + i] - v * fields[3 * points + i]) * along_x_[static_cast<std::size_t>(i)];
    }
    fftw_.to_modes(along_x_.data(), modes_.data());
    const double scale = 1.0 / static_cast<double>(points);
    for (std::int64_t ky = 0; ky <= ny_; ++ky) {
      for (std::int64_t kx = -nx_; kx <= nx_; ++kx) {
        const Number mode = scale * modes_[static_cast<std::size_t>(ky * x_ + (kx < 0 ? kx + x_ : kx))];
        out[ky * (2 * nx_ + 1) + kx + nx_] = {mode.real(), mode.imag()};
      }
    }
  }

 private:
  const Fftw& fftw_;
  std::int64_t nx_;
  std::int64_t ny_;
  std::int64_t x_;
  std::int64_t y_;
  Array<Number> modes_;
  Array<double> along_x_;
  Array<double> along_y_;
};

void compare(const Params& params, int planes, int rounds) {
  const std::int64_t x = 2 * params.nxw;
  const std::int64_t y = 2 * params.nyw;
  const auto count = static_cast<std::size_t>(shape_of(params).modes());
  const Plane plane(params.nx, params.ny, x, y, fft::kernels(), loops());
  const Fftw fftw(x, y);
  if (!fftw.there()) {
    std::printf("FFTW is not here (Debian: libfftw3-double3)\n");
    return;
  }
  std::vector<std::unique_ptr<Plane::Scratch>> scratch;
  std::vector<std::unique_ptr<Written>> written;
  for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
    scratch.push_back(std::make_unique<Plane::Scratch>(plane));
    written.push_back(std::make_unique<Written>(params, fftw));
  }
  const auto many = static_cast<std::size_t>(planes);
  Array<Complex> f(count * many);
  Array<Complex> own(f.size());
  Array<Complex> theirs(f.size());
  const auto each = static_cast<std::size_t>(Plane::gradients(x, y));
  const auto points = static_cast<std::size_t>(x * y);
  Array<Gradients> gradients(each * many);
  Array<double> fields(4 * points * many);
  std::size_t i = 0;
  for (int p = 0; p < planes; ++p) {
    for (std::int64_t ky = 0; ky <= params.ny; ++ky) {
      for (std::int64_t kx = -params.nx; kx <= params.nx; ++kx) {
        const Number mode = mode_of(Data::random, Field::f, params, {.kx = kx, .ky = ky, .v = p});
        f[i++] = {mode.real(), mode.imag()};
      }
    }
  }
  const auto rows = [&]<class T>(T* of) { return Rows<T>{of, params.ny + 1, 0}; };
  for (std::size_t p = 0; p < many; ++p) {
    const Complex* psi = f.data() + count * ((p + 1) % many);
    const Complex* chi = f.data() + count * ((p + 2) % many);
    plane.keep_psi(rows(psi), gradients.data() + each * p, *scratch[0]);
    plane.keep_chi(rows(chi), gradients.data() + each * p, *scratch[0]);
    double* field = fields.data() + 4 * points * p;
    written[0]->gradient(psi, field, field + points);
    written[0]->gradient(chi, field + 2 * points, field + 3 * points);
  }
  const double v = velocity(params, 0);
  constexpr int passes = 8;  // per timed round, so that it takes some hundredths of a second
  const auto thread = [] { return static_cast<std::size_t>(omp_get_thread_num()); };
  const auto run_own = [&] {
    for (int pass = 0; pass < passes; ++pass) {
#pragma omp parallel for schedule(dynamic)
      for (std::size_t p = 0; p < many; ++p) {
        plane.bracket(rows(static_cast<const Complex*>(f.data()) + count * p), gradients.data() + each * p, v,
                      rows(own.data() + count * p), *scratch[thread()]);
      }
    }
  };
  const auto run_written = [&] {
    for (int pass = 0; pass < passes; ++pass) {
#pragma omp parallel for schedule(dynamic)
      for (std::size_t p = 0; p < many; ++p) {
        written[thread()]->bracket(f.data() + count * p, fields.data() + 4 * points * p, v, theirs.data() + count * p);
      }
    }
  };
  run_own();
  run_written();
  double worst = 0.0;
  double largest = 0.0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    worst = std::max(worst, std::hypot(own[k].re - theirs[k].re, own[k].im - theirs[k].im));
    largest = std::max(largest, std::hypot(own[k].re, own[k].im));
  }
  std::printf("%lld x %lld modes, %lld x %lld points, %d planes, %d threads; largest difference / largest mode %.0e\n",
              static_cast<long long>(shape_of(params).kx), static_cast<long long>(shape_of(params).ky),
              static_cast<long long>(x), static_cast<long long>(y), planes, omp_get_max_threads(), worst / largest);
  compare_ways({{"own, " + std::string(fft::kernels().name), run_own}, {"with FFTW, measure", run_written}}, rounds,
               plane_flops(params) * planes * passes, "Gflop/s");
}

}  // namespace

void bench_bracket(int rounds) {
  for (const auto& [nx, ny, planes] : {std::array{42, 21, 128}, {85, 42, 32}, {85, 85, 32}, {127, 127, 16}}) {
    Params params{.kernel = "fft", .nx = nx, .ny = ny, .nz = 1, .nv = planes, .nm = 2};
    problem(params, 1);
    compare(params, planes, rounds);
  }
}

}  // namespace banzuke::gkv
