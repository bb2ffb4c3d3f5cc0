#include "core/record.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>

#include "core/cpulist.hpp"
#include "generated/build.hpp"

namespace banzuke {
namespace {

constexpr std::array fields{&Member::program, &Member::group,   &Member::host,     &Member::binding, &Member::memory,
                            &Member::pages,   &Member::devices, &Member::compiler, &Member::flags,   &Member::mpi};
constexpr char separator = '\x1f';
constexpr std::size_t most_digits = 9;  // of a host's number

// Groups members with equal text. Returns the first member of each group and all its ranks in list format, in order of
// appearance.
template <class Text>
std::vector<std::pair<Member, std::string>> alike(std::span<const Member> members, int first, Text of) {
  std::map<std::string, std::vector<int>> ranks;
  std::vector<const Member*> order;
  for (const auto& member : members) {
    auto& same = ranks[of(member)];
    if (same.empty()) order.push_back(&member);
    same.push_back(first++);
  }
  std::vector<std::pair<Member, std::string>> out;
  out.reserve(order.size());
  for (const Member* member : order) out.emplace_back(*member, format_list(ranks[of(*member)]));
  return out;
}

// Splits a name around its last number: "node", "007", "-ib".
std::array<std::string, 3> parts_of(const std::string& name) {
  const auto last = name.find_last_of("0123456789");
  if (last == std::string::npos) return {name, "", ""};
  const auto before = name.find_last_not_of("0123456789", last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return {name.substr(0, first), name.substr(first, last + 1 - first), name.substr(last + 1)};
}

// Returns whether `next` follows `name` in a range such as node[007-010].
bool follows(const std::string& name, const std::string& next) {
  auto [before, number, after] = parts_of(name);
  if (number.empty() || number.size() > most_digits || name.find_first_of("[],") != std::string::npos) return false;
  std::string following = std::to_string(std::stoll(number) + 1);
  if (following.size() < number.size()) following.insert(0, number.size() - following.size(), '0');
  return next == before + following + after;
}

// Returns the hosts in order of first appearance; consecutively numbered hosts with equal blocks of ranks are merged.
Json hosts(std::span<const Member> members, int first) {
  struct Run {
    std::string begin;
    std::string end;
    std::vector<int> ranks;
    std::size_t block;
  };
  std::map<std::string, std::vector<int>> ranks_of;
  std::vector<std::string> order;
  for (const auto& member : members) {
    auto& ranks = ranks_of[member.host];
    if (ranks.empty()) order.push_back(member.host);
    ranks.push_back(first++);
  }
  const auto in_a_row = [](const std::vector<int>& ranks) {
    return ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
  };
  std::vector<Run> runs;
  for (const auto& name : order) {
    const auto& ranks = ranks_of[name];
    if (!runs.empty() && ranks.size() == runs.back().block && ranks.front() == runs.back().ranks.back() + 1 &&
        in_a_row(ranks) && in_a_row(runs.back().ranks) && follows(runs.back().end, name)) {
      runs.back().end = name;
      runs.back().ranks.insert(runs.back().ranks.end(), ranks.begin(), ranks.end());
    } else {
      runs.push_back({.begin = name, .end = name, .ranks = ranks, .block = ranks.size()});
    }
  }
  Json::Array out;
  for (const auto& run : runs) {
    const auto [before, number, after] = parts_of(run.begin);
    const std::string names =
        run.begin == run.end ? run.begin : before + '[' + number + '-' + parts_of(run.end)[1] + ']' + after;
    out.emplace_back(Json::object({{"names", names}, {"ranks", format_list(run.ranks)}}));
  }
  return out;
}

Json group(std::span<const Member> members, int first, const Json::Object& more) {
  const Member& one = members.front();
  Json::Array bindings;
  const auto place = [](const Member& m) {
    return m.binding + separator + m.memory + separator + m.pages + separator + m.devices;
  };
  for (const auto& [member, ranks] : alike(members, first, place)) {
    Json binding = Json::object({{"ranks", ranks}, {"threads", Json::array(split(member.binding, '|'))}});
    if (!member.memory.empty()) binding.set("memory", member.memory);
    if (!member.pages.empty()) binding.set("pages", member.pages);
    if (!member.devices.empty()) binding.set("devices", Json::array(split(member.devices, '|')));
    bindings.emplace_back(std::move(binding));
  }
  Json::Object software{{"compiler", one.compiler}, {"flags", one.flags}, {"mpi", one.mpi}};
  software.insert(software.end(), more.begin(), more.end());
  return Json::object({{"program", one.program},
                       {"ranks", static_cast<std::int64_t>(members.size())},
                       {"threads", static_cast<std::int64_t>(split(one.binding, '|').size())},
                       {"hosts", hosts(members, first)},
                       {"binding", bindings},
                       {"software", software}});
}

// Returns the groups: consecutive ranks started as one program with equal numbers of threads. `software` is what rank 0
// loaded.
Json groups(std::span<const Member> members, const Json::Object& software) {
  const auto same = [](const Member& a, const Member& b) {
    return a.program == b.program && a.group == b.group && a.compiler == b.compiler && a.flags == b.flags &&
           a.mpi == b.mpi && std::ranges::count(a.binding, '|') == std::ranges::count(b.binding, '|');
  };
  Json::Array out;
  for (std::size_t first = 0; first < members.size();) {
    std::size_t last = first + 1;
    while (last < members.size() && same(members[first], members[last])) ++last;
    out.push_back(
        group(members.subspan(first, last - first), static_cast<int>(first), first == 0 ? software : Json::Object{}));
    first = last;
  }
  return out;
}

Json written(const std::vector<Demand>& demand) {
  Json::Array out;
  for (const auto& of : demand) {
    Json one = Json::object({{"resource", of.resource}, {"amount", of.amount}});
    if (of.group) one.set("group", *of.group);
    if (!of.busiest.empty()) one.set("busiest", of.busiest);
    if (!of.area.empty()) one.set("area", of.area);
    out.push_back(std::move(one));
  }
  return out;
}

Json written(const std::vector<Metric>& metrics) {
  Json out = Json::object();
  for (const auto& metric : metrics) {
    Json::Array bounds;
    for (const auto& bound : metric.bounds) {
      bounds.emplace_back(Json::object({{"kind", bound.kind}, {"seconds", bound.seconds}, {"source", bound.source}}));
    }
    const double counted = metric.work.counted;
    out.set(metric.name, Json::object({{"unit", metric.unit},
                                       {"samples", Json::array(metric.samples)},
                                       {"counted", counted > 0.0 ? Json(counted) : Json()},
                                       {"demand", written(metric.work.demand)},
                                       {"bounds", bounds}}));
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

Json written(const Pairs& pairs) {
  Json::Array ends;
  for (const auto& end : pairs.ends) {
    ends.emplace_back(Json::object({{"host", end.host},
                                    {"device", end.device.empty() ? Json() : Json(end.device)},
                                    {"node", end.node ? Json(std::int64_t{*end.node}) : Json()}}));
  }
  return Json::object({{"unit", pairs.unit},
                       {"ends", ends},
                       {"from", pairs.from},
                       {"to", pairs.to},
                       {"values", Json::array(pairs.values)}});
}

Json written(const Area& area) {
  return Json::object({{"path", area.path}, {"type", area.type}, {"settings", area.settings}});
}

Json written(const SeriesLine& line) {
  Json out = Json::object({{"host", line.host}});
  if (line.rank) out.set("rank", *line.rank);
  if (line.thread) out.set("thread", *line.thread);
  if (line.cpu) out.set("cpu", *line.cpu);
  if (!line.sensor.empty()) out.set("sensor", line.sensor);
  if (!line.device.empty()) out.set("device", line.device);
  if (!line.times.empty()) out.set("times", Json::array(line.times));
  out.set("base", line.base);
  out.set("values", line.values);
  return out;
}

Json written(const Series& series) {
  Json::Array lines;
  for (const auto& line : series.lines) lines.push_back(written(line));
  return Json::object({{"unit", series.unit},
                       {"resolution", series.resolution},
                       {"lines", std::move(lines)},
                       {"left_out", series.left_out}});
}

Json written(const Distribution& one) {
  return Json::object(
      {{"unit", one.unit}, {"resolution", one.resolution}, {"values", one.values}, {"counts", one.counts}});
}

// Writes a named part of the result, which is left out after a failure.
template <class Part>
Json named(const std::vector<std::pair<std::string, Part>>& parts, bool shown) {
  Json out = Json::object();
  if (!shown) return out;
  for (const auto& [name, part] : parts) out.set(name, written(part));
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

Work operator*(Work work, double times) {
  work.counted *= times;
  for (auto& of : work.demand) of.amount *= times;
  return work;
}

double demanded(const Work& work, std::string_view resource) {
  double sum = 0.0;
  for (const auto& of : work.demand) sum += of.resource == resource ? of.amount : 0.0;
  return sum;
}

std::string Member::text() const {
  std::string out;
  for (const auto field : fields) out += this->*field + separator;
  return out;
}

Member Member::read(const std::string& text) {
  Member out;
  std::size_t begin = 0;
  for (const auto field : fields) {
    const std::size_t end = text.find(separator, begin);
    if (end == std::string::npos) throw std::runtime_error("a rank told of itself in another program's words");
    out.*field = text.substr(begin, end - begin);
    begin = end + 1;
  }
  return out;
}

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
  const std::string without = header.unsupported ? "skipped" : "failed";
  Json record = Json::object({{"schema_version", build::schema_version},
                              {"benchmark", header.benchmark},
                              {"backend", header.backend},
                              {"parameters", header.parameters},
                              {"groups", groups(header.members, result.software)},
                              {"status", failure.empty() ? "ok" : without},
                              {"reason", failure.empty() ? Json() : Json(failure)},
                              {"started", header.started},
                              {"ended", header.ended}});
  const bool shown = failure.empty();
  record.set("metrics", shown ? written(result.metrics) : Json::object());
  record.set("breakdown", shown && result.breakdown ? written(*result.breakdown) : Json());
  record.set("curves", named(result.curves, shown));
  record.set("pairs", named(result.pairs, shown));
  record.set("series", named(result.series, shown));
  record.set("distributions", named(result.distributions, shown));
  record.set("areas", named(result.areas, true));
  Json::Array checks;
  for (const auto& check : result.verification) {
    checks.emplace_back(Json::object({{"quantity", check.quantity},
                                      {"value", check.value},
                                      {"tolerance", check.tolerance},
                                      {"passed", check.passed()}}));
  }
  record.set("verification", checks);
  record.set("conditions", result.conditions);
  return record;
}

}  // namespace banzuke
