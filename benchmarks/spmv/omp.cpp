#include <memory>
#include <variant>

#include "choose.hpp"
#include "core/array.hpp"
#include "core/clock.hpp"
#include "format_bcsr.hpp"
#include "format_crs.hpp"
#include "format_sell.hpp"
#include "kernel_choice.hpp"
#include "shares.hpp"
#include "spmv.hpp"
#include "vectors.hpp"

namespace banzuke::spmv {

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{"auto", "crs", "merge", "sell", "bcsr"};
  return names;
}

bool offers_library() { return false; }
Problem problem(const Params& params, int ranks) { return problem_on_host(params, ranks); }

struct Spmv::Impl {
  Impl(const Crs& crs, const Choice& choice, const Kernels& kernels, int shares)
      : name(choice.format), nonzeros(crs.nonzeros()), method(kernels.name), vectors(crs.rows) {
    if (choice.format == "sell") {
      stored = make<SellFormat>(crs, choice.sigma, kernels, shares);
      name += ' ';
      name += std::to_string(chunk);
      name += '-';
      name += std::to_string(choice.sigma);
      if (std::get<std::unique_ptr<SellFormat>>(matrix)->near()) name += " u16";
    } else if (choice.format == "bcsr") {
      stored = make<BcsrFormat>(crs, choice.shape, kernels, shares);
      const auto [height, width] = shapes[choice.shape];
      name += ' ';
      name += std::to_string(height);
      name += 'x';
      name += std::to_string(width);
    } else {
      stored = make<CrsFormat>(crs, choice.format == "merge" ? Cut::anywhere : Cut::rows, kernels, shares);
    }
  }

  template <class Format, class... Arguments>
  std::int64_t make(Arguments&&... arguments) {
    return matrix.emplace<std::unique_ptr<Format>>(std::make_unique<Format>(std::forward<Arguments>(arguments)...))
        ->stored();
  }

  std::string name;
  std::int64_t stored = 0;
  std::int64_t nonzeros;
  std::string method;
  Vectors vectors;
  std::unique_ptr<Flush> flush{};
  std::variant<std::unique_ptr<CrsFormat>, std::unique_ptr<SellFormat>, std::unique_ptr<BcsrFormat>> matrix;
};

Spmv::Spmv(const Crs& matrix, const std::string& format) {
  const int shares = sharers(matrix.nonzeros(), matrix.rows);
  impl_ = make_hidden<Impl>(matrix, choose(matrix, format, shares), fastest_kernels(), shares);
}

void Spmv::load(std::span<const double> x) { impl_->vectors.load(x); }
void Spmv::store(std::span<double> y) const { impl_->vectors.store(y); }

double Spmv::run(int products) {
  const double start = now();
  for (int i = 0; i < products; ++i)
    std::visit([&](auto& matrix) { matrix->run(impl_->vectors.x(), impl_->vectors.y()); }, impl_->matrix);
  return now() - start;
}

void Spmv::clear_caches() {
  if (!impl_->flush) impl_->flush = std::make_unique<Flush>();
  (*impl_->flush)();
}

Json::Object Spmv::software() const { return {}; }
Json::Object Spmv::conditions() const { return {{"huge_page_fraction", huge_page_fraction()}}; }
std::vector<Verification> Spmv::checks() const { return {}; }

const std::string& Spmv::format() const { return impl_->name; }
double Spmv::fill() const {
  return impl_->nonzeros == 0 ? 1.0 : static_cast<double>(impl_->stored) / static_cast<double>(impl_->nonzeros);
}
const std::string& Spmv::method() const { return impl_->method; }

}  // namespace banzuke::spmv
