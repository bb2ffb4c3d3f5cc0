// Who took a processor, and for how long: the kernel's own trace of switches, interrupts and softirqs.
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

// What was there between the two marks of our thread on one processor, from the lines of its trace in their order.
// Whoever was interrupted in turn does not count that time.
class Blamer {
 public:
  void line(std::string_view text);

  std::vector<Blame> blame() const { return blame_; }  // longest in total first
  // Events that the buffer had no room for, and switches that are not in the trace: the time before is nobody's.
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
  // Gives the time since the last event to whoever had the processor.
  void charge(const Event& event);
  void enter(const Event& event);
  void leave(std::string_view kind);
  void begin_process(std::string_view who, int pid);
  void end_process();
  void add(const Context& context);

  bool open_ = false;
  int own_ = -1;  // pid
  double last_ = 0.0;
  std::vector<Context> process_;   // at most one: the process that is there instead of ours
  std::vector<Context> contexts_;  // interrupts and softirqs, one in the other
  std::vector<Blame> blame_;
  std::int64_t lost_ = 0;
};

// An instance of the kernel's tracer of our own, so that nobody else's is touched. It is removed when the object goes,
// and when the process ends, however it does; what was left nevertheless is removed by the next one.
class Trace {
 public:
  // Traces these processors, with room for what comes in so many seconds. Throws UsageError where that is not allowed.
  Trace(std::vector<int> cpus, double seconds);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Marks that the calling thread begins or ends its timed part.
  static constexpr std::string_view begin = "banzuke begins\n";
  static constexpr std::string_view end = "banzuke ends\n";
  void mark(std::string_view what) const;

  void stop() const;
  // The blame of all processors together, and how many events the buffers had no room for.
  std::pair<std::vector<Blame>, std::int64_t> blame() const;

 private:
  struct Instance;

  std::string folder_;
  std::vector<int> cpus_;
  std::unique_ptr<Instance> instance_;
};

// Adds to what is there of the same name and kind.
void merge(std::vector<Blame>& all, const Blame& one);
// Processors as the kernel writes masks: hexadecimal, 32 a group.
std::string mask(const std::vector<int>& cpus);

}  // namespace banzuke::noise
