#include "core/gpu/emulated/machine.hpp"

#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace banzuke::gpu::emulated {
namespace {

std::unique_ptr<Machine>& started() {
  static std::unique_ptr<Machine> one = std::make_unique<Machine>();
  return one;
}

}  // namespace

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t number(const char* name, std::int64_t usual) {
  const std::string text = variable(name);
  std::int64_t value = usual;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double factor(const char* name, double usual) {
  const std::string text = variable(name);
  return text.empty() ? usual : std::strtod(text.c_str(), nullptr);
}

Machine& machine() { return *started(); }

void renew() { started() = std::make_unique<Machine>(); }

std::string name_of(int device) { return "emulated device " + std::to_string(device); }

std::vector<std::string> visible() {
  const Machine& of = machine();
  std::vector<std::string> identities;
  for (int device = 0; device < of.devices && of.slices == 0; ++device) {
    identities.push_back("EMULATED-" + std::to_string(device));
  }
  const std::string named = std::string(",").append(variable("CUDA_VISIBLE_DEVICES")).append(",");
  for (int slice = 0; slice < of.slices; ++slice) {
    const std::string identity = "MIG-EMULATED-" + std::to_string(slice);
    if (named == ",," ? slice == 0 : named.find("," + identity + ",") != std::string::npos) {
      identities.push_back(identity);
    }
  }
  return identities;
}

void operate(const std::string& kind, const std::string& what, const Caller& where, int device) {
  Machine& of = machine();
  const std::scoped_lock lock(of.mutex);
  const auto nth = ++of.done[kind];
  const auto all = ++of.done["any"];
  if (of.broken.empty()) {
    if (of.fault == kind + "@" + std::to_string(nth)) of.broken = "an illegal memory access was encountered";
    if (of.fault == "lost@" + std::to_string(all)) of.broken = "the device is lost";
  }
  if (of.broken.empty()) return;
  const std::string_view path = where.file;
  throw Error("cannot " + what + ": " + of.broken + " (at " + std::string(path.substr(path.rfind('/') + 1)) + ":" +
              std::to_string(where.line) + "; " + name_of(device) + " answers nothing more in this process)");
}

bool unnoticed(const std::string& fault, const std::string& kind) {
  const Machine& of = machine();
  const auto done = of.done.find(kind);
  return done != of.done.end() && of.fault == fault + "-" + kind + "@" + std::to_string(done->second);
}

}  // namespace banzuke::gpu::emulated
