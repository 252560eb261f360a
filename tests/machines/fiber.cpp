#include <link.h>
#include <sys/mman.h>

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "tests/machines/world.h"

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

// Those that are exchanged together.
struct Exchange {
  std::vector<Locals> modules;
  Fiber* in_place = nullptr;  // whose variables are where the program finds them
};

// Of the program and the C++ library, and of RocksDB: those are large, and most processes have no database.
struct Exchanges {
  Exchange program;
  Exchange database;
};

// Of libraries only those whose variables tell threads apart for us. The program itself has no name.
int collect(dl_phdr_info* module, std::size_t, void* to) {
  auto& all = *static_cast<Exchanges*>(to);
  const std::string_view name = module->dlpi_name;
  const bool is_database = name.find("librocksdb.so") != name.npos;
  const bool is_wanted = is_database || name.empty() || name.find("libstdc++.so") != name.npos;
  for (int i = 0; is_wanted && i < module->dlpi_phnum; ++i) {
    const auto& part = module->dlpi_phdr[i];
    if (part.p_type != PT_TLS || module->dlpi_tls_data == nullptr) continue;
    (is_database ? all.database : all.program)
        .modules.push_back({static_cast<std::byte*>(module->dlpi_tls_data), part.p_memsz,
                            reinterpret_cast<const std::byte*>(module->dlpi_addr + part.p_vaddr), part.p_filesz});
  }
  return 0;
}

Exchanges& exchanges() {
  static auto& all = *[] {
    auto* const found = new Exchanges;
    ::dl_iterate_phdr(collect, found);
    return found;
  }();
  return all;
}

std::vector<std::byte> first_locals(const Exchange& exchange) {
  std::vector<std::byte> bytes;
  for (const Locals& locals : exchange.modules) {
    bytes.insert(bytes.end(), locals.first, locals.first + locals.first_size);
    bytes.resize(bytes.size() + locals.size - locals.first_size);
  }
  return bytes;
}

template <class Copy>
void copy_locals(const Exchange& exchange, std::vector<std::byte>& kept, Copy&& copy) {
  std::byte* at = kept.data();
  for (const Locals& locals : exchange.modules) {
    copy(locals.at, at, locals.size);
    at += locals.size;
  }
}

// Those of the fiber that ran last stay in place until another one runs: what resumes fibers needs none of its own.
void bring(Exchange& exchange, Fiber& fiber, std::vector<std::byte> Fiber::*locals) {
  if (exchange.in_place == &fiber) return;
  if (exchange.in_place != nullptr)
    copy_locals(exchange, exchange.in_place->*locals,
                [](std::byte* at, std::byte* kept, std::size_t size) { std::memcpy(kept, at, size); });
  if ((fiber.*locals).empty()) fiber.*locals = first_locals(exchange);
  copy_locals(exchange, fiber.*locals,
              [](std::byte* at, const std::byte* kept, std::size_t size) { std::memcpy(at, kept, size); });
  exchange.in_place = &fiber;
}

// Stacks are given back by ~Fiber().
struct OurStack {
  void deallocate(boost::context::stack_context&) noexcept {}
};

Fiber* running = nullptr;  // there is one real thread: not thread-local, and so not exchanged either

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
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
  for (Exchange* const exchange : {&exchanges().program, &exchanges().database}) {
    if (exchange->in_place == this) exchange->in_place = nullptr;
  }
  static_cast<void>(new auto(std::move(own_)));  // taken apart, it would go on to clean up
  spare_stacks().push_back(stack_);
}

void Fiber::resume(bool has_database) {
  ONTIME_CHECK(running == nullptr && !has_ended_, "a fiber is resumed from outside and before its end");
  running = this;
  bring(exchanges().program, *this, &Fiber::locals_);
  if (has_database) bring(exchanges().database, *this, &Fiber::database_locals_);
  own_ = std::move(own_).resume();
  running = nullptr;
}

void Fiber::begin_database() { bring(exchanges().database, *running, &Fiber::database_locals_); }

void Fiber::give_way() {
  Fiber* const self = running;
  self->resumer_ = std::move(self->resumer_).resume();
}

}  // namespace ontime::lab::machines
