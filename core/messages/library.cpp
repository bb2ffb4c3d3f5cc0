#include "library.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <stdexcept>

#include "core/mpi/version_text.hpp"

namespace banzuke {
namespace {

void* symbol(void* library, const char* name) {
  void* address = dlsym(library, name);
  if (address == nullptr) throw std::runtime_error(std::string("the library has no ") + name);
  return address;
}

template <class Function>
Function function(void* library, const char* name) {
  return reinterpret_cast<Function>(symbol(library, name));
}

// Values from mpi_abi.h of MPI 5.0, A. `handle` makes a handle of a number.
struct Standard {
  using Handle = void*;
  static constexpr const char* name = "standard";
  static Handle handle(std::uintptr_t value) { return reinterpret_cast<Handle>(value); }
  static Handle world(void* /*library*/) { return handle(0x101); }
  static Handle byte(void* /*library*/) { return handle(0x247); }
  static Handle real(void* /*library*/) { return handle(0x214); }
  static Handle add(void* /*library*/) { return handle(0x21); }
  static void* ignored() { return nullptr; }
};

// Values from MPICH's mpi.h, which are those of all libraries in the MPICH ABI Compatibility Initiative.
struct Mpich {
  using Handle = int;
  static constexpr const char* name = "mpich";
  static Handle world(void* /*library*/) { return 0x44000000; }
  static Handle byte(void* /*library*/) { return 0x4c00010d; }
  static Handle real(void* /*library*/) { return 0x4c00080b; }
  static Handle add(void* /*library*/) { return 0x58000003; }
  static void* ignored() { return reinterpret_cast<void*>(1); }
};

// Handles are addresses of the library's objects.
struct OpenMpi {
  using Handle = void*;
  static constexpr const char* name = "openmpi";
  static Handle world(void* library) { return symbol(library, "ompi_mpi_comm_world"); }
  static Handle byte(void* library) { return symbol(library, "ompi_mpi_byte"); }
  static Handle real(void* library) { return symbol(library, "ompi_mpi_double"); }
  static Handle add(void* library) { return symbol(library, "ompi_mpi_op_sum"); }
  static void* ignored() { return nullptr; }
};

void check(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + " failed with error " + std::to_string(status));
}

template <class Abi>
class Loaded final : public Messages {
  using Handle = typename Abi::Handle;

 public:
  explicit Loaded(void* library)
      : send_(function<Send>(library, "MPI_Send")),
        receive_(function<Receive>(library, "MPI_Recv")),
        begin_send_(function<BeginSend>(library, "MPI_Isend")),
        begin_receive_(function<BeginReceive>(library, "MPI_Irecv")),
        wait_(function<Wait>(library, "MPI_Waitall")),
        reduce_(function<Reduce>(library, "MPI_Allreduce")),
        barrier_(function<int (*)(Handle)>(library, "MPI_Barrier")),
        finalize_(function<int (*)()>(library, "MPI_Finalize")),
        version_(function<int (*)(char*, int*)>(library, "MPI_Get_library_version")),
        world_(Abi::world(library)),
        byte_(Abi::byte(library)),
        double_(Abi::real(library)),
        add_(Abi::add(library)) {
    check(function<int (*)(int*, char***)>(library, "MPI_Init")(nullptr, nullptr), "MPI_Init");
    check(function<Number>(library, "MPI_Comm_rank")(world_, &rank_), "MPI_Comm_rank");
    check(function<Number>(library, "MPI_Comm_size")(world_, &size_), "MPI_Comm_size");
  }

  const char* interface() const override { return Abi::name; }

  std::string version() const override {
    std::array<char, 8192> text{};  // the longest MPI_MAX_LIBRARY_VERSION_STRING
    int length = 0;
    check(version_(text.data(), &length), "MPI_Get_library_version");
    return version_text({text.data(), static_cast<std::size_t>(length)});
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(const void* data, int bytes, int to) override {
    check(send_(data, bytes, byte_, to, tag, world_), "MPI_Send");
  }

  void receive(void* data, int bytes, int from) override {
    check(receive_(data, bytes, byte_, from, tag, world_, Abi::ignored()), "MPI_Recv");
  }

  void send_many(const void* data, int bytes, int to, int count) override {
    std::vector<Handle> requests(static_cast<std::size_t>(count));
    for (auto& request : requests) check(begin_send_(data, bytes, byte_, to, tag, world_, &request), "MPI_Isend");
    check(wait_(count, requests.data(), Abi::ignored()), "MPI_Waitall");
  }

  void receive_many(void* data, int bytes, int from, int count) override {
    std::vector<Handle> requests(static_cast<std::size_t>(count));
    for (auto& request : requests) check(begin_receive_(data, bytes, byte_, from, tag, world_, &request), "MPI_Irecv");
    check(wait_(count, requests.data(), Abi::ignored()), "MPI_Waitall");
  }

  double sum(double own) override {
    double all = 0;
    check(reduce_(&own, &all, 1, double_, add_, world_), "MPI_Allreduce");
    return all;
  }

  void barrier() override { check(barrier_(world_), "MPI_Barrier"); }
  void finalize() override { check(finalize_(), "MPI_Finalize"); }

 private:
  static constexpr int tag = 1;
  using Number = int (*)(Handle, int*);
  using Send = int (*)(const void*, int, Handle, int, int, Handle);
  using Receive = int (*)(void*, int, Handle, int, int, Handle, void*);
  using BeginSend = int (*)(const void*, int, Handle, int, int, Handle, Handle*);
  using BeginReceive = int (*)(void*, int, Handle, int, int, Handle, Handle*);
  using Wait = int (*)(int, Handle*, void*);
  using Reduce = int (*)(const void*, void*, int, Handle, Handle, Handle);

  Send send_;
  Receive receive_;
  BeginSend begin_send_;
  BeginReceive begin_receive_;
  Wait wait_;
  Reduce reduce_;
  int (*barrier_)(Handle);
  int (*finalize_)();
  int (*version_)(char*, int*);
  Handle world_, byte_, double_, add_;
  int rank_ = 0;
  int size_ = 0;
};

// A library for the standard interface alone returns its version; others that know the function return -1.
bool standard(void* library) {
  auto* const version = reinterpret_cast<int (*)(int*, int*)>(dlsym(library, "MPI_Abi_get_version"));
  int major = -1;
  int minor = -1;
  return version != nullptr && version(&major, &minor) == 0 && major >= 1;
}

}  // namespace

std::unique_ptr<Messages> Messages::load(const std::string& path) {
  // Open MPI's modules look for its functions among those of all loaded libraries.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw std::runtime_error(std::string("cannot load the MPI library: ") + dlerror());
  if (dlsym(library, "ompi_mpi_comm_world") != nullptr) return std::make_unique<Loaded<OpenMpi>>(library);
  if (standard(library)) return std::make_unique<Loaded<Standard>>(library);
  return std::make_unique<Loaded<Mpich>>(library);
}

}  // namespace banzuke
