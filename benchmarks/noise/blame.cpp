#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "trace.hpp"

namespace banzuke::noise {
namespace {

int leading_number(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

int whole_number(std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

// Returns the word after `name`, such as `vec=`; empty if the text does not have it.
std::string_view value_after(std::string_view text, std::string_view name, std::string_view stop = " ") {
  const auto found = text.rfind(name);
  if (found == std::string_view::npos) return {};
  const auto value = text.substr(found + name.size());
  return value.substr(0, value.find(stop));
}

constexpr std::string_view entry = "_entry";
constexpr std::string_view leaving = "_exit";

// Returns "softirq", or "interrupt" for irq_handler of devices and the processor's own (local_timer, call_function, ipi
// ...).
std::string_view kind_of(std::string_view event) { return event.starts_with("softirq") ? "softirq" : "interrupt"; }

}  // namespace

void merge(std::vector<Blame>& all, const Blame& one) {
  const auto found =
      std::ranges::find_if(all, [&](const Blame& other) { return other.who == one.who && other.kind == one.kind; });
  if (found == all.end()) {
    all.push_back(one);
    return;
  }
  found->events += one.events;
  found->seconds += one.seconds;
  found->longest = std::max(found->longest, one.longest);
}

struct Blamer::Event {
  std::string_view who;  // the process that ran
  int pid = -1;
  double time = 0.0;
  std::string_view name;
  std::string_view rest;
};

// "   comm-123     [001] d.h1.  4567.890123: name: rest", where comm may hold anything.
bool Blamer::parse(std::string_view line, Event& event) {
  std::size_t processor = 0;
  do {
    processor = line.find(" [", processor + 1);
    if (processor == std::string_view::npos) return false;
    const auto who = line.substr(0, line.find_last_not_of(' ', processor) + 1);
    const auto dash = std::min(who.rfind('-'), who.size());
    event.pid = whole_number(who.substr(std::min(dash + 1, who.size())));
    event.who = who.substr(0, dash);
  } while (event.pid < 0);
  event.who.remove_prefix(std::min(event.who.find_first_not_of(' '), event.who.size()));
  auto rest = line.substr(processor);
  const auto time_end = rest.find(": ");
  if (time_end == std::string_view::npos) return false;
  const auto time_begin = rest.rfind(' ', time_end);
  if (time_begin == std::string_view::npos) return false;
  const auto time = rest.substr(time_begin + 1, time_end - time_begin - 1);
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), event.time);
  // Seconds since boot; a line with anything else, including "nan" and "inf", is damaged.
  constexpr double latest = 1e12;
  if (error != std::errc() || end != time.data() + time.size() || !(std::abs(event.time) < latest)) return false;
  rest = rest.substr(time_end + 2);
  const auto name_end = rest.find(':');
  if (name_end == std::string_view::npos) return false;
  event.name = rest.substr(0, name_end);
  event.rest = rest.substr(name_end + 1);
  return true;
}

void Blamer::charge(const Event& event) {
  const bool ours = event.pid == own_;
  const bool switched = ours ? !process_.empty() : process_.empty() || process_.back().pid != event.pid;
  if (switched) {
    ++lost_;
    contexts_.clear();
    end_process();
    if (!ours) begin_process(event.who, event.pid);
  } else if (auto* there = !contexts_.empty() ? &contexts_.back() : process_.empty() ? nullptr : &process_.back()) {
    there->seconds += std::max(0.0, event.time - last_);
  }
  last_ = event.time;
}

void Blamer::add(const Context& context) {
  merge(
      blame_,
      {.who = context.who, .kind = context.kind, .events = 1, .seconds = context.seconds, .longest = context.seconds});
}

void Blamer::enter(const Event& event) {
  std::string who(event.name.substr(0, event.name.size() - entry.size()));
  if (who == "softirq") {
    who = value_after(event.rest, "[action=", "]");
  } else if (who == "irq_handler") {
    who = value_after(event.rest, "name=", "\n");
  } else if (who == "ipi") {
    who = value_after(event.rest, "(", ")");
  } else {
    std::ranges::replace(who, '_', ' ');
  }
  contexts_.push_back({.who = std::move(who), .kind = std::string(kind_of(event.name))});
}

void Blamer::leave(std::string_view kind) {
  if (contexts_.empty() || contexts_.back().kind != kind) return;  // it was entered before the first mark
  add(contexts_.back());
  contexts_.pop_back();
}

void Blamer::begin_process(std::string_view who, int pid) {
  process_.push_back({.who = std::string(pid == 0 ? "idle" : who), .kind = "process", .pid = pid});
}

void Blamer::end_process() {
  if (!process_.empty()) add(process_.back());
  process_.clear();
}

void Blamer::line(std::string_view text) {
  if (const auto lost = text.find(" [LOST "); text.starts_with("CPU:") && lost != std::string_view::npos) {
    lost_ += std::max(0, leading_number(text.substr(lost + 7)));
    return;
  }
  Event event;
  if (!parse(text, event)) return;
  const bool mark = event.name == "tracing_mark_write";
  if (mark && event.rest.find("banzuke begins") != std::string_view::npos) {
    open_ = true;
    own_ = event.pid;
    last_ = event.time;
    return;
  }
  if (!open_) return;
  charge(event);
  if (mark && event.rest.find("banzuke ends") != std::string_view::npos) {
    open_ = false;
    std::ranges::sort(blame_, std::ranges::greater(), &Blame::seconds);
  } else if (event.name == "sched_switch") {
    end_process();
    const int next = leading_number(value_after(event.rest, " next_pid="));
    if (next != own_) begin_process(value_after(event.rest, " next_comm=", " next_pid="), next);
  } else if (event.name.ends_with(entry)) {
    enter(event);
  } else if (event.name.ends_with(leaving)) {
    leave(kind_of(event.name));
  }
}

}  // namespace banzuke::noise
