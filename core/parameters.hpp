// A program's parameters, declared once: parsing, checking, defaults and `--describe` follow from the declaration.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/json.hpp"

namespace banzuke {

// An invalid call; exit status 2.
class UsageError : public std::runtime_error {
 public:
  // `nearest`: alternatives that would be accepted, each a set of values by parameter; `ranks` stands for the number of
  // ranks. `without`: a parameter without which the call would be accepted.
  explicit UsageError(const std::string& why, std::vector<Json::Object> nearest = {}, std::string without = {})
      : std::runtime_error(why), nearest_(std::move(nearest)), without_(std::move(without)) {}

  const std::vector<Json::Object>& nearest() const { return nearest_; }
  const std::string& without() const { return without_; }
  // `Nearest: nx=16 ny=16 nz=16 or 10 ranks, or leave out nb`; empty if there is none.
  std::string remedy() const;

 private:
  std::vector<Json::Object> nearest_;
  std::string without_;
};

class Parameters {
 public:
  struct Range {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
  };

  struct RealRange {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
  };

  // `target` must outlive this object and holds the default.
  void add(std::string name, std::int64_t& target, std::string help, Range range);
  void add(std::string name, double& target, std::string help);
  void add(std::string name, double& target, std::string help, RealRange range);
  // Empty `choices`: any text.
  void add(std::string name, std::string& target, std::string help, std::vector<std::string> choices = {});

  bool has(const std::string& name) const;
  // Throws UsageError naming the parameter, the value and what is allowed.
  void set(const std::string& name, const std::string& text);
  // Returns whether the caller has set it.
  bool given(const std::string& name) const;
  // Marks a parameter that the call does not use: values() leaves it out. If the caller has set it, throws UsageError
  // with `why`, and in `nearest` a call that does use it.
  void unused(const std::string& name, const std::string& why, std::vector<Json::Object> nearest = {});

  // The values of the parameters that the call uses.
  Json values() const;
  Json describe() const;

 private:
  struct Parameter {
    std::string name;
    std::string help;
    std::variant<std::int64_t*, double*, std::string*> target;
    Range range;
    RealRange real_range;
    std::vector<std::string> choices;
    bool given = false;
    bool used = true;
  };
  const Parameter* find(const std::string& name) const;

  std::vector<Parameter> parameters_;
};

}  // namespace banzuke
