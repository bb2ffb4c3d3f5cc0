// Compares the format that `auto` chooses with each format of the library, over the collection: CSR of cuSPARSE or
// rocSPARSE by both methods, and its SELL. All are timed in turn by the device's clock, without conversions.
// Usage: bench-spmv-cuda [TURNS [LARGEST [FAMILY [SMALLEST]]]]; LARGEST, SMALLEST: non-zeros; FAMILY: a part of its
// name, whose matrices are also multiplied in each way of our formats
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/gpu/beside.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/sparse.hpp"
#include "core/gpu/timing.hpp"
#include "core/paired.hpp"
#include "core/parameters.hpp"
#include "core/random.hpp"
#include "families.hpp"
#include "gpu_library.hpp"
#include "spmv.hpp"

namespace {

using namespace banzuke;

constexpr double tick = 1e-9;
constexpr std::array<const char*, 3> library_ways{"csr 1", "csr 2", "their sell"};

// One way to multiply, with the matrix on the device.
class Form {
 public:
  virtual ~Form() = default;
  virtual double run(int products) = 0;
  virtual void store(std::span<double> y) = 0;
};

class Ours : public Form {
 public:
  Ours(const Crs& matrix, const std::string& format, std::span<const double> x) : spmv_(matrix, format) {
    spmv_.load(x);
  }
  double run(int products) override { return spmv_.run(products); }
  void store(std::span<double> y) override { spmv_.store(y); }
  const std::string& format() const { return spmv_.format(); }

 private:
  spmv::Spmv spmv_;
};

// What all our ways share: the vectors, the stream and the timer.
struct Ground {
  Ground(const Crs& matrix, std::span<const double> from)
      : x(static_cast<std::size_t>(matrix.columns)), y(static_cast<std::size_t>(matrix.rows)) {
    gpu::upload(x, from, stream);
  }
  gpu::Stream stream{};
  gpu::Timer timer{stream};
  gpu::DeviceBuffer<double> x, y;
};

// One of our formats in one of its ways.
class OneWay : public Form {
 public:
  OneWay(std::shared_ptr<Ground> ground, std::shared_ptr<const spmv::GpuFormat> format, const spmv::GpuWay& way)
      : ground_(std::move(ground)), format_(std::move(format)), way_(way) {
    gpu::set_bytes(ground_->y.data(), 0xFF, ground_->y.size(), ground_->stream);  // NaN
  }
  double run(int products) override {
    ground_->timer.start();
    for (int i = 0; i < products; ++i) format_->queue(way_, ground_->x.data(), ground_->y.data(), ground_->stream);
    return ground_->timer.stop();
  }
  void store(std::span<double> y) override { gpu::download(y, ground_->y, ground_->stream); }

 private:
  std::shared_ptr<Ground> ground_;
  std::shared_ptr<const spmv::GpuFormat> format_;
  spmv::GpuWay way_;
};

std::vector<std::int32_t> narrow(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

// The library's product, called directly: its arrays, its preparation, its function.
class Theirs : public Form {
 public:
  Theirs(const Crs& matrix, const std::string& format, std::span<const double> x)
      : Theirs(matrix, format, x,
               format == "sell"
                   ? spmv::library_sell(matrix)
                   : spmv::GpuSell{.start = matrix.start, .column = matrix.column, .value = matrix.value}) {}

  double run(int products) override {
    timer_.start();
    for (int i = 0; i < products; ++i) product_->queue();
    return timer_.stop();
  }
  void store(std::span<double> y) override { gpu::download(y, y_, stream_); }
  const std::string& library() const { return library_.name(); }

 private:
  Theirs(const Crs& matrix, const std::string& format, std::span<const double> x, const spmv::GpuSell& made)
      : x_(static_cast<std::size_t>(matrix.columns)),
        y_(static_cast<std::size_t>(matrix.rows)),
        start_(gpu::on_device(narrow(made.start), stream_)),
        column_(gpu::on_device(made.column, stream_)),
        value_(gpu::on_device(made.value, stream_)) {
    gpu::upload(x_, x, stream_);
    gpu::set_bytes(y_.data(), 0xFF, y_.size(), stream_);  // NaN
    const gpu::SparseShape shape{matrix.rows, matrix.columns, matrix.nonzeros()};
    if (format == "sell") {
      const gpu::SparseSell sell{shape,         spmv::gpu_chunk, std::ssize(made.value),
                                 start_.data(), column_.data(),  value_.data()};
      product_ = library_.prepare(sell, x_.data(), y_.data());
    } else {
      const gpu::SparseCsr csr{shape, start_.data(), column_.data(), value_.data()};
      product_ = library_.prepare(csr, format == "csr 1" ? gpu::CsrMethod::first : gpu::CsrMethod::second, x_.data(),
                                  y_.data());
    }
    stream_.wait();
  }

  gpu::Stream stream_;
  gpu::Timer timer_{stream_};
  gpu::Sparse library_{stream_};
  gpu::DeviceBuffer<double> x_, y_;
  gpu::DeviceBuffer<std::int32_t> start_, column_;
  gpu::DeviceBuffer<double> value_;
  std::unique_ptr<gpu::Sparse::Product> product_;
};

std::string label(const spmv::GpuFormat& format, const spmv::GpuWay& way) {
  const char* loads = way.loads == spmv::Loads::few ? "" : way.loads == spmv::Loads::many ? ", many" : ", ahead";
  return format.name(way) + loads + (way.once ? ", once" : "");
}

// Seconds of a product in each turn, for each way by its name.
using Turns = std::map<std::string, std::vector<double>>;

struct Compared {
  std::string chosen;   // the way of ours that `auto` chose
  std::string fastest;  // the library's fastest way
  Turns seconds{};
};

class Comparison {
 public:
  // `ways`: also compare each of our formats in each of its ways.
  Comparison(int turns, bool ways) : turns_(turns), ways_(ways) {}

  bool matrix(const std::string& family, std::int64_t nonzeros);
  void tell() const;
  bool any() const { return !all_.empty(); }

 private:
  // These add to `forms_` and check what they compute.
  template <class Kind>
  bool add(const std::string& name, const std::string& format, const Crs& matrix);
  bool add_ways(const Crs& matrix);
  bool checked(const std::string& name, std::unique_ptr<Form> form, const Crs& matrix);
  Compared in_turns(const Crs& matrix, const std::string& family, std::int64_t asked);
  std::vector<double> means(const std::function<std::vector<double>(const Compared&)>& of) const;

  int turns_;
  bool ways_;
  std::string library_{};
  std::vector<Compared> all_{};
  // State of the current matrix.
  std::vector<double> x_{}, y_{};
  std::vector<std::pair<std::string, std::unique_ptr<Form>>> forms_{};
  Json::Object conversions_{};
  std::string chosen_{};
};

template <class Kind>
bool Comparison::add(const std::string& name, const std::string& format, const Crs& matrix) {
  const double start = now();
  auto form = std::make_unique<Kind>(matrix, format, x_);
  conversions_.emplace_back(name, now() - start);
  if constexpr (std::is_same_v<Kind, Ours>) {
    chosen_ = form->format();
  } else {
    library_ = form->library();
  }
  return checked(name, std::move(form), matrix);
}

bool Comparison::add_ways(const Crs& matrix) {
  bool all = true;
  const auto ground = std::make_shared<Ground>(matrix, x_);
  for (auto& format : spmv::own_formats(matrix, "auto", ground->stream)) {
    const std::shared_ptr<const spmv::GpuFormat> shared = std::move(format);
    for (const spmv::GpuWay& way : shared->ways()) {
      all = checked(label(*shared, way), std::make_unique<OneWay>(ground, shared, way), matrix) && all;
    }
  }
  return all;
}

bool Comparison::checked(const std::string& name, std::unique_ptr<Form> form, const Crs& matrix) {
  form->run(2);  // the second must not add to the first
  std::ranges::fill(y_, std::nan(""));
  form->store(y_);
  forms_.emplace_back(name, std::move(form));
  return gpu::right(name, spmv::error(matrix, x_, y_), spmv::tolerance);
}

bool Comparison::matrix(const std::string& family, std::int64_t nonzeros) {
  const Crs matrix = spmv::generate(family, nonzeros);
  x_.resize(static_cast<std::size_t>(matrix.columns));
  y_.resize(static_cast<std::size_t>(matrix.rows));
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = uniform(0, i);
  forms_.clear();
  conversions_.clear();
  bool all = add<Ours>("auto", "auto", matrix);
  if (ways_) all = add_ways(matrix) && all;
  all = add<Theirs>("csr 1", "csr 1", matrix) && all;
  all = add<Theirs>("csr 2", "csr 2", matrix) && all;
  const double fill = spmv::sell_layout(matrix, 1).fill;
  if (gpu::Sparse::takes_sell() && fill <= spmv::most_fill) all = add<Theirs>("their sell", "sell", matrix) && all;
  if (!all) std::fprintf(stderr, "WRONG in %s of %lld\n", family.c_str(), static_cast<long long>(matrix.nonzeros()));
  all_.push_back(in_turns(matrix, family, nonzeros));
  return all;
}

Compared Comparison::in_turns(const Crs& matrix, const std::string& family, std::int64_t asked) {
  // So many products are queued, one after another, that a turn of a way takes half a millisecond.
  constexpr double long_enough = 500e-6;
  constexpr int most = 200;
  const double once = std::max(forms_.front().second->run(10) / 10, tick);
  const int products = static_cast<int>(std::clamp(std::ceil(long_enough / once), 1.0, double{most}));
  std::vector<TimedWay> ways;
  ways.reserve(forms_.size());
  for (const auto& [name, form] : forms_) {
    ways.push_back({name, [&form, products] { return std::max(form->run(products) / products, tick); }});
  }
  const auto seconds = take_turns(ways, turns_);
  Compared found{.chosen = chosen_, .fastest = {}};
  for (std::size_t i = 0; i < ways.size(); ++i) found.seconds[ways[i].name] = seconds[i];
  double least = std::numeric_limits<double>::infinity();
  for (const char* name : library_ways) {
    const auto of = found.seconds.find(name);
    if (of == found.seconds.end() || median(of->second) >= least) continue;
    least = median(of->second);
    found.fastest = name;
  }
  const double flops = spmv::work(matrix).counted;
  auto pair =
      gpu::pair_of(family + " " + std::to_string(matrix.nonzeros()) + ", " + chosen_, library_ + ", " + found.fastest,
                   found.seconds["auto"], found.seconds[found.fastest], flops, "flop/s");
  Json::Object rates;
  for (const auto& [name, of] : found.seconds) rates.emplace_back(name, flops / median(of));
  pair.more = {{"family", family},  {"asked", asked}, {"nonzeros", matrix.nonzeros()}, {"rows", matrix.rows},
               {"chosen", chosen_}, {"rates", rates}, {"conversions", conversions_}};
  gpu::tell(pair, "of a matrix");
  return found;
}

// Returns, for each turn, the geometric mean over the matrices that have a value; turns without any are left out.
std::vector<double> Comparison::means(const std::function<std::vector<double>(const Compared&)>& of) const {
  std::vector<std::vector<double>> by_turn(static_cast<std::size_t>(turns_));
  for (const Compared& one : all_) {
    const auto found = of(one);
    for (std::size_t turn = 0; turn < found.size(); ++turn) by_turn[turn].push_back(found[turn]);
  }
  std::vector<double> out;
  for (const auto& values : by_turn) {
    if (!values.empty()) out.push_back(geometric_mean(values));
  }
  return out;
}

void Comparison::tell() const {
  // Empty if the matrix does not suit the way.
  const auto of_way = [](const Compared& one, const std::string& name) {
    const auto found = one.seconds.find(name);
    return found == one.seconds.end() ? std::vector<double>{} : found->second;
  };
  const auto over = [](const std::vector<double>& theirs, const std::vector<double>& ours) {
    return theirs.empty() || ours.empty() ? std::vector<double>{} : ratios(theirs, ours);
  };
  const auto compare = [&](const std::string& subject, const std::string& beside, const std::string& goal,
                           const std::function<std::vector<double>(const Compared&)>& of) {
    std::int64_t matrices = 0;
    std::int64_t slower = 0;
    for (const Compared& one : all_) {
      const auto found = of(one);
      matrices += found.empty() ? 0 : 1;
      slower += !found.empty() && median(found) < 1.0 ? 1 : 0;
    }
    if (matrices == 0) return;
    gpu::Pair pair{.subject = "SpMV, " + subject + ", " + std::to_string(matrices) + " matrices",
                   .beside = beside,
                   .ratios = means(of)};
    pair.more = {{"matrices", matrices}, {"slower", slower}};
    gpu::tell(pair, goal);
  };
  compare("auto", library_ + ", its fastest for each", "spmv",
          [&](const Compared& one) { return ratios(of_way(one, one.fastest), of_way(one, "auto")); });
  for (const char* name : library_ways) {
    compare("auto", library_ + ", " + name, "",
            [&](const Compared& one) { return over(of_way(one, name), of_way(one, "auto")); });
  }
  if (!ways_) return;
  // The loss by an imperfect choice.
  compare("auto", "the fastest of our ways for each", "", [&](const Compared& one) {
    const std::vector<double>* best = nullptr;
    for (const auto& [name, seconds] : one.seconds) {
      if (name == "auto" || std::ranges::count(library_ways, name) > 0) continue;
      if (best == nullptr || median(seconds) < median(*best)) best = &seconds;
    }
    return ratios(*best, of_way(one, "auto"));
  });
}

// A failure with one matrix does not affect the figures of the others, unless the device is lost.
bool attempt(Comparison& comparison, const std::string& family, std::int64_t nonzeros) {
  try {
    return comparison.matrix(family, nonzeros);
  } catch (const gpu::Error& error) {
    std::fprintf(stderr, "FAILED: %s of %lld: %s\n", family.c_str(), static_cast<long long>(nonzeros), error.what());
    gpu::Stream().wait();
    return false;
  }
}

// Returns the number of non-zeros to ask for, `half` half decades above the smallest.
std::int64_t size_of(int half) { return std::llround(1000.0 * std::pow(10.0, half / 2.0)); }

}  // namespace

int main(int argc, char** argv) {
  const int turns = positive_argument(argc, argv, 1, 7);
  const int largest = positive_argument(argc, argv, 2, 10'000'000);
  const std::string part = argc > 3 ? argv[3] : "";
  const int smallest = positive_argument(argc, argv, 4, 1);
  return gpu::run_beside([&] {
    gpu::use_given();
    {
      const gpu::Stream stream;
      const gpu::Sparse library(stream);  // throws if there is none
    }
    Comparison comparison(turns, !part.empty());
    bool known = false;
    bool all = true;
    for (const std::string& family : spmv::family_names()) {
      if (family.find(part) == std::string::npos) continue;
      known = true;
      for (int half = 0; size_of(half) <= largest; ++half) {
        if (size_of(half) >= smallest) all = attempt(comparison, family, size_of(half)) && all;
      }
    }
    if (!known) throw UsageError("no family is named like " + part);
    if (comparison.any()) comparison.tell();
    return all;
  });
}
