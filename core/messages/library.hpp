// MPI libraries, loaded at run time. A program linked with one could not load another that has the same file name, as
// MPICH and Intel MPI have, so this one is linked with none and has its own declarations of the few functions it calls.
//
// There are three binary interfaces: the standard one of MPI 5, that of MPICH (and of Intel, Cray and MVAPICH), and
// that of Open MPI (and of Fujitsu). They differ in the type and the values of handles and in MPI_STATUS_IGNORE.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace banzuke {

// The calls that a probe needs, of all ranks of MPI_COMM_WORLD. All throw std::runtime_error if the library reports an
// error; most libraries end the program themselves.
class Messages {
 public:
  // Loads the library and initialises it. Throws std::runtime_error if it cannot be loaded.
  static std::unique_ptr<Messages> load(const std::string& path);
  virtual ~Messages() = default;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  virtual const char* interface() const = 0;  // standard, mpich, openmpi
  virtual std::string version() const = 0;    // the first line of its own text
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(const void* data, int bytes, int to) = 0;
  virtual void receive(void* data, int bytes, int from) = 0;
  // Sends or receives `count` messages that are under way at once, all from or into the same buffer.
  virtual void send_many(const void* data, int bytes, int to, int count) = 0;
  virtual void receive_many(void* data, int bytes, int from, int count) = 0;
  virtual double sum(double own) = 0;
  virtual void barrier() = 0;
  virtual void finalize() = 0;

 protected:
  Messages() = default;
};

}  // namespace banzuke
