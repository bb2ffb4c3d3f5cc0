#include <memory>
#include <variant>

#include "choose.hpp"
#include "format_bcsr.hpp"
#include "format_crs.hpp"
#include "format_sell.hpp"
#include "kernel_choice.hpp"
#include "shares.hpp"
#include "spmv.hpp"

namespace banzuke::spmv {

struct Spmv::Impl {
  Impl(const Crs& crs, const Choice& choice, const Kernels& kernels, int shares)
      : name(choice.format), nonzeros(crs.nonzeros()), method(kernels.name) {
    if (choice.format == "sell") {
      stored = make<SellFormat>(crs, choice.sigma, kernels, shares);
      name += ' ';
      name += std::to_string(chunk);
      name += '-';
      name += std::to_string(choice.sigma);
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
  std::variant<std::unique_ptr<CrsFormat>, std::unique_ptr<SellFormat>, std::unique_ptr<BcsrFormat>> matrix;
};

Spmv::Spmv(const Crs& matrix, const std::string& format) {
  const int shares = sharers(matrix.nonzeros(), matrix.rows);
  impl_ = make_hidden<Impl>(matrix, choose(matrix, format, shares), fastest_kernels(), shares);
}

void Spmv::run(const double* x, double* y) {
  std::visit([&](auto& matrix) { matrix->run(x, y); }, impl_->matrix);
}

const std::string& Spmv::format() const { return impl_->name; }
double Spmv::fill() const {
  return impl_->nonzeros == 0 ? 1.0 : static_cast<double>(impl_->stored) / static_cast<double>(impl_->nonzeros);
}
const std::string& Spmv::method() const { return impl_->method; }

}  // namespace banzuke::spmv
