#include "core/gpu/beside.hpp"

#include <cstdio>

#include "core/gpu/runtime.hpp"
#include "core/paired.hpp"

namespace banzuke::gpu {

Pair pair_of(const std::string& subject, const std::string& beside, const std::vector<double>& ours,
             const std::vector<double>& theirs, double work, const std::string& unit) {
  return {.subject = subject,
          .beside = beside,
          .ratios = ratios(theirs, ours),
          .rate = work / median(ours),
          .beside_rate = work / median(theirs),
          .unit = unit};
}

void tell(const Pair& pair, const std::string& goal) {
  std::fprintf(stderr, "%-36s / %-44s %.3f (quartiles %.3f to %.3f)", pair.subject.c_str(), pair.beside.c_str(),
               median(pair.ratios), quantile(pair.ratios, 0.25), quantile(pair.ratios, 0.75));
  if (!pair.unit.empty()) std::fprintf(stderr, "; %.4g / %.4g %s", pair.rate, pair.beside_rate, pair.unit.c_str());
  std::fprintf(stderr, "\n");
  Json line = Json::object(
      {{"goal", goal}, {"subject", pair.subject}, {"beside", pair.beside}, {"ratios", Json::array(pair.ratios)}});
  if (!pair.unit.empty()) {
    line.set("rate", pair.rate);
    line.set("beside_rate", pair.beside_rate);
    line.set("unit", pair.unit);
  }
  for (const auto& [name, value] : pair.more) line.set(name, value);
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

bool right(const std::string& what, double error, double bound) {
  if (error <= bound) return true;
  std::fprintf(stderr, "WRONG: %s: error %.3g, at most %.3g\n", what.c_str(), error, bound);
  return false;
}

int run_beside(const std::function<bool()>& body) {
  try {
    return body() ? 0 : 1;
  } catch (const NoDeviceError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace banzuke::gpu
