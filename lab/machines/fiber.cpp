#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "lab/machines/world.h"

namespace ontime::lab::machines {
namespace {

constexpr std::size_t kStackBytes = 512u << 10;  // touched pages only cost memory
constexpr std::size_t kGuardBytes = 4096;

// Kept for the next fibers: mapping them costs more than running most of them.
std::vector<std::byte*>& spare_stacks() {
  static auto& stacks = *new std::vector<std::byte*>;
  return stacks;
}

std::byte* take_stack() {
  auto& spare = spare_stacks();
  if (!spare.empty()) {
    std::byte* const stack = spare.back();
    spare.pop_back();
    return stack;
  }
  void* const at = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ONTIME_CHECK(at != MAP_FAILED && ::mprotect(at, kGuardBytes, PROT_NONE) == 0, "there is memory for a stack");
  return static_cast<std::byte*>(at);
}

// The thread-local variables of one module: where they lie for this thread, and what they are at first.
struct Locals {
  std::byte* at;
  std::size_t size;
  const std::byte* first;
  std::size_t first_size;  // the rest is zero
};

// The program itself comes first; of libraries only those whose variables tell threads apart for us.
int collect(dl_phdr_info* module, std::size_t, void* to) {
  static constexpr std::array<std::string_view, 2> kLibraries{"libstdc++.so", "librocksdb.so"};
  auto& all = *static_cast<std::vector<Locals>*>(to);
  const std::string_view name = module->dlpi_name;
  const bool is_wanted =
      name.empty() || std::any_of(kLibraries.begin(), kLibraries.end(),
                                  [&](std::string_view library) { return name.find(library) != name.npos; });
  for (int i = 0; is_wanted && i < module->dlpi_phnum; ++i) {
    const auto& part = module->dlpi_phdr[i];
    if (part.p_type != PT_TLS || module->dlpi_tls_data == nullptr) continue;
    all.push_back({static_cast<std::byte*>(module->dlpi_tls_data), part.p_memsz,
                   reinterpret_cast<const std::byte*>(module->dlpi_addr + part.p_vaddr), part.p_filesz});
  }
  return 0;
}

const std::vector<Locals>& all_locals() {
  static const auto& all = *[] {
    auto* const found = new std::vector<Locals>;
    ::dl_iterate_phdr(collect, found);
    return found;
  }();
  return all;
}

std::vector<std::byte> first_locals() {
  std::vector<std::byte> bytes;
  for (const Locals& locals : all_locals()) {
    bytes.insert(bytes.end(), locals.first, locals.first + locals.first_size);
    bytes.resize(bytes.size() + locals.size - locals.first_size);
  }
  return bytes;
}

// Stacks are given back by ~Fiber().
struct OurStack {
  void deallocate(boost::context::stack_context&) noexcept {}
};

// There is one real thread: these are not thread-local, and so not exchanged either.
Fiber* running = nullptr;
Fiber* in_place = nullptr;  // whose thread-local variables are where the program finds them

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()), locals_(first_locals()) {
  boost::context::stack_context stack;
  stack.sp = stack_ + kStackBytes;
  stack.size = kStackBytes - kGuardBytes;
  own_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                               OurStack(), [this](boost::context::fiber&& resumer) {
                                 resumer_ = std::move(resumer);
                                 body_();
                                 has_ended_ = true;
                                 return std::move(resumer_);
                               });
}

Fiber::~Fiber() {
  if (in_place == this) in_place = nullptr;
  static_cast<void>(new auto(std::move(own_)));  // taken apart, it would go on to clean up
  spare_stacks().push_back(stack_);
}

// Those of the fiber that ran last stay in place until another one runs: what resumes fibers needs none of its own.
void Fiber::bring_locals() {
  if (in_place == this) return;
  if (in_place != nullptr)
    in_place->copy_locals([](std::byte* at, std::byte* kept, std::size_t size) { std::memcpy(kept, at, size); });
  copy_locals([](std::byte* at, const std::byte* kept, std::size_t size) { std::memcpy(at, kept, size); });
  in_place = this;
}

template <class Copy>
void Fiber::copy_locals(Copy&& copy) {
  std::byte* kept = locals_.data();
  for (const Locals& locals : all_locals()) {
    copy(locals.at, kept, locals.size);
    kept += locals.size;
  }
}

void Fiber::resume() {
  ONTIME_CHECK(running == nullptr && !has_ended_, "a fiber is resumed from outside and before its end");
  running = this;
  bring_locals();
  own_ = std::move(own_).resume();
  running = nullptr;
}

void Fiber::give_way() {
  Fiber* const self = running;
  self->resumer_ = std::move(self->resumer_).resume();
}

}  // namespace ontime::lab::machines
