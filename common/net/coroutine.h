#pragma once
// What every coroutine of the project uses. g++ 12 rule: before `co_await`, name it. No lambda with captures by value,
// no braced temporary and no conditional awaitable inside a co_await expression (tests/architecture checks this).

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/use_awaitable.hpp>
#include <exception>

#include "common/base/time.h"

namespace ontime::net {

// Errors as values: auto [error, n] = co_await socket.async_read_some(buffer, no_throw);
inline constexpr auto no_throw = asio::experimental::as_tuple(asio::use_awaitable);

// Give this to every co_spawn as its completion handler. An exception that leaves a coroutine is a bug, so it is logged
// and the program aborts. asio::detached would ignore it.
struct AbortOnException {
  const char* where;  // string literal: names the coroutine
  void operator()(std::exception_ptr exception) const;
};

asio::awaitable<void> sleep_for(Duration delay);

}  // namespace ontime::net
