// Finds what took a processor, and for how long, from the kernel's own trace of switches, interrupts and softirqs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace banzuke::noise {

struct Blame {
  std::string who;
  std::string kind;  // process, interrupt, softirq
  std::int64_t events = 0;
  double seconds = 0.0;
  double longest = 0.0;
};

// Computes what ran between the two marks of our thread on one processor, from its trace lines in order. Time during
// which an interrupter was itself interrupted is not charged to it.
class Blamer {
 public:
  void line(std::string_view text);

  std::vector<Blame> blame() const { return blame_; }  // the longest total first
  // Events that did not fit in the buffer, and switches missing from the trace: the time before them is charged to
  // nobody.
  std::int64_t lost() const { return lost_; }

 private:
  struct Context {
    std::string who;
    std::string kind;
    int pid = -1;  // of a process
    double seconds = 0.0;
  };
  struct Event;
  static bool parse(std::string_view line, Event& event);
  // Charges the time since the last event to whatever had the processor.
  void charge(const Event& event);
  void enter(const Event& event);
  void leave(std::string_view kind);
  void begin_process(std::string_view who, int pid);
  void end_process();
  void add(const Context& context);

  bool open_ = false;
  int own_ = -1;  // pid
  double last_ = 0.0;
  std::vector<Context> process_;   // at most one: the process running instead of ours
  std::vector<Context> contexts_;  // interrupts and softirqs, nested
  std::vector<Blame> blame_;
  std::int64_t lost_ = 0;
};

// A private instance of the kernel's tracer, so that no other is affected. It is removed by the destructor, and when
// the process ends, however it ends; leftovers are removed by the next instance.
class Trace {
 public:
  // Traces these processors, with room for `seconds` of events. Throws UsageError if that is not allowed.
  Trace(std::vector<int> cpus, double seconds);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Marks for the start and end of the calling thread's timed part.
  static constexpr std::string_view begin = "banzuke begins\n";
  static constexpr std::string_view end = "banzuke ends\n";
  void mark(std::string_view what) const;

  void stop() const;
  // Returns the blame over all processors, and how many events did not fit in the buffers.
  std::pair<std::vector<Blame>, std::int64_t> blame() const;

 private:
  struct Instance;

  std::string folder_;
  std::vector<int> cpus_;
  std::unique_ptr<Instance> instance_;
};

// Adds `one` to the entry of the same name and kind.
void merge(std::vector<Blame>& all, const Blame& one);
// Processors as a kernel mask: hexadecimal, 32 per group.
std::string mask(const std::vector<int>& cpus);

}  // namespace banzuke::noise
