#include "common/net/coroutine.h"

#include <spdlog/spdlog.h>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <cstdlib>

#include "common/log/fields.h"

namespace ontime::net {

void AbortOnException::operator()(std::exception_ptr exception) const {
  if (!exception) return;
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    spdlog::critical("uncaught_exception where={} message={}", where, log::Quoted{error.what()});
  } catch (...) {
    spdlog::critical("uncaught_exception where={}", where);
  }
  std::abort();
}

asio::awaitable<void> sleep_for(Duration delay) {
  asio::steady_timer timer(co_await asio::this_coro::executor, delay);
  co_await timer.async_wait(no_throw);
}

}  // namespace ontime::net
