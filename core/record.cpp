#include "core/record.hpp"

#include <map>
#include <sstream>

#include "core/cpulist.hpp"
#include "generated/build.hpp"

namespace banzuke {
namespace {

// Ranks by equal text, in list format, in order of first appearance.
std::vector<std::pair<std::string, std::string>> grouped(const std::vector<std::string>& by_rank) {
  std::map<std::string, std::vector<int>> groups;
  std::vector<std::string> order;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    auto& members = groups[by_rank[rank]];
    if (members.empty()) order.push_back(by_rank[rank]);
    members.push_back(static_cast<int>(rank));
  }
  std::vector<std::pair<std::string, std::string>> out;
  out.reserve(order.size());
  for (const auto& text : order) out.emplace_back(text, format_list(groups[text]));
  return out;
}

Json written(const std::vector<Metric>& metrics) {
  Json out = Json::object();
  for (const auto& metric : metrics) {
    const Json work =
        Json::object({{"flops", metric.work.flops}, {"bytes", metric.work.bytes}, {"moved", metric.work.moved}});
    Json::Array bounds;
    for (const auto& bound : metric.bounds) {
      bounds.emplace_back(Json::object({{"kind", bound.kind}, {"seconds", bound.seconds}, {"source", bound.source}}));
    }
    out.set(metric.name,
            Json::object(
                {{"unit", metric.unit}, {"samples", Json::array(metric.samples)}, {"work", work}, {"bounds", bounds}}));
  }
  return out;
}

Json written(const Curve& curve) {
  Json::Array points;
  for (const auto& point : curve.points) {
    points.emplace_back(Json::object({{"at", point.at}, {"metrics", written(point.metrics)}}));
  }
  return Json::object({{"along", curve.along}, {"unit", curve.unit}, {"points", points}});
}

Json written(const std::vector<std::pair<std::string, Matrix>>& matrices) {
  Json out = Json::object();
  for (const auto& [name, matrix] : matrices) {
    Json::Array rows;
    for (const auto& row : matrix.values) rows.emplace_back(Json::array(row));
    out.set(name, Json::object({{"unit", matrix.unit}, {"values", rows}}));
  }
  return out;
}

Json written(const std::vector<std::pair<std::string, Series>>& series) {
  Json out = Json::object();
  for (const auto& [name, one] : series) {
    Json::Array lines;
    for (const auto& line : one.lines) {
      lines.emplace_back(Json::object({{"host", line.host},
                                       {"rank", line.rank},
                                       {"thread", line.thread},
                                       {"cpu", line.cpu},
                                       {"base", line.base},
                                       {"values", line.values}}));
    }
    out.set(name, Json::object({{"unit", one.unit},
                                {"resolution", one.resolution},
                                {"lines", std::move(lines)},
                                {"left_out", one.left_out}}));
  }
  return out;
}

Json written(const std::vector<std::pair<std::string, Distribution>>& distributions) {
  Json out = Json::object();
  for (const auto& [name, one] : distributions) {
    out.set(name,
            Json::object(
                {{"unit", one.unit}, {"resolution", one.resolution}, {"values", one.values}, {"counts", one.counts}}));
  }
  return out;
}

Json written(const Breakdown& breakdown) {
  Json seconds = Json::object();
  for (const auto& [part, spent] : breakdown.seconds) seconds.set(part, Json::array(spent));
  return Json::object({{"along", breakdown.along},
                       {"ends", Json::array(breakdown.ends)},
                       {"flops", Json::array(breakdown.flops)},
                       {"seconds", seconds}});
}

}  // namespace

std::string Verification::text() const {
  std::ostringstream out;
  out << quantity << " is ";
  if (std::isfinite(value)) {
    out << value;
  } else {
    out << "not finite";
  }
  out << ", allowed " << tolerance;
  return out.str();
}

Json make_record(const RecordHeader& header, const Result& result, const std::string& failure) {
  Json record = Json::object({{"schema_version", build::schema_version},
                              {"benchmark", header.benchmark},
                              {"backend", header.backend},
                              {"parameters", header.parameters},
                              {"ranks", header.ranks},
                              {"threads", header.threads},
                              {"status", failure.empty() ? "ok" : "failed"},
                              {"reason", failure.empty() ? Json() : Json(failure)},
                              {"started", header.started},
                              {"ended", header.ended}});
  record.set("metrics", failure.empty() ? written(result.metrics) : Json::object());
  record.set("breakdown", failure.empty() && result.breakdown ? written(*result.breakdown) : Json());
  record.set("curve", failure.empty() && result.curve ? written(*result.curve) : Json());
  record.set("matrices", failure.empty() ? written(result.matrices) : Json::object());
  record.set("series", failure.empty() ? written(result.series) : Json::object());
  record.set("distributions", failure.empty() ? written(result.distributions) : Json::object());
  Json::Array checks;
  for (const auto& check : result.verification) {
    checks.emplace_back(Json::object({{"quantity", check.quantity},
                                      {"value", check.value},
                                      {"tolerance", check.tolerance},
                                      {"passed", check.passed()}}));
  }
  record.set("verification", checks);
  Json::Array hosts;
  for (const auto& [name, ranks] : grouped(header.hosts)) {
    hosts.emplace_back(Json::object({{"name", name}, {"ranks", ranks}}));
  }
  record.set("hosts", hosts);
  Json::Array bindings;
  for (const auto& [threads, ranks] : grouped(header.bindings)) {
    bindings.emplace_back(Json::object({{"ranks", ranks}, {"threads", Json::array(split(threads, '|'))}}));
  }
  record.set("binding", bindings);
  Json::Object software = header.software;
  software.insert(software.end(), result.software.begin(), result.software.end());
  record.set("software", software);
  record.set("conditions", result.conditions);
  return record;
}

}  // namespace banzuke
