#include "core/gpu/nccl.hpp"

#include "core/gpu/library.hpp"

namespace banzuke::gpu {
namespace {

// As in nccl.h, which RCCL shares: communicators are pointers; results and data types are integers.
using Communicator = void*;
constexpr int bytes_type = 1;  // ncclUint8

#ifdef BANZUKE_HIP
constexpr const char* nccl_product = "RCCL ";
Library nccl_library() { return Library("BANZUKE_RCCL", {"librccl.so.1", "librccl.so"}, "Install rccl"); }
#else
constexpr const char* nccl_product = "NCCL ";
Library nccl_library() {
  return Library("BANZUKE_NCCL", {"libnccl.so.2", "libnccl.so"}, "`pip install nvidia-nccl-cu13` into the environment");
}
#endif

using Send = int(const void*, std::size_t, int, int, Communicator, void*);
using Receive = int(void*, std::size_t, int, int, Communicator, void*);

// Returns the version as text; 22703 is 2.27.3.
std::string nccl_version(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

}  // namespace

struct Nccl::Impl {
  explicit Impl(const std::vector<int>& devices)
      : library(nccl_library()),
        words(library.get<const char*(int)>("ncclGetErrorString")),
        begin(library.get<int()>("ncclGroupStart")),
        end(library.get<int()>("ncclGroupEnd")),
        send(library.get<Send>("ncclSend")),
        receive(library.get<Receive>("ncclRecv")),
        destroy(library.get<int(Communicator)>("ncclCommDestroy")),
        all(devices.size()) {
    int number = 0;
    called(library.get<int(int*)>("ncclGetVersion")(&number), "ncclGetVersion");
    name = nccl_product + nccl_version(number);
    called(library.get<int(Communicator*, int, const int*)>("ncclCommInitAll")(
               all.data(), static_cast<int>(devices.size()), devices.data()),
           "ncclCommInitAll");
  }
  ~Impl() {
    for (auto* one : all) destroy(one);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void called(int status, const char* function) const {
    if (status != 0) throw Error(std::string(function) + " failed: " + words(status));
  }

  Library library;
  const char* (*words)(int);
  int (*begin)();
  int (*end)();
  Send* send;
  Receive* receive;
  int (*destroy)(Communicator);
  std::vector<Communicator> all;
  std::string name{};
};

Nccl::Nccl(const std::vector<int>& devices) : impl_(make_hidden<Impl>(devices)) {}

void Nccl::queue(const std::vector<Message>& messages) const {
  impl_->called(impl_->begin(), "ncclGroupStart");
  for (const auto& [from, to, out, in, bytes, sends, receives] : messages) {
    auto* const sender = impl_->all[static_cast<std::size_t>(from)];
    auto* const receiver = impl_->all[static_cast<std::size_t>(to)];
    impl_->called(impl_->send(out.address(), bytes, bytes_type, to, sender, sends->native()), "ncclSend");
    impl_->called(impl_->receive(in.address(), bytes, bytes_type, from, receiver, receives->native()), "ncclRecv");
  }
  impl_->called(impl_->end(), "ncclGroupEnd");
}

const std::string& Nccl::name() const { return impl_->name; }
const std::string& Nccl::path() const { return impl_->library.path(); }

}  // namespace banzuke::gpu
