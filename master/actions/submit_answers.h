#pragma once
// Where submissions wait for the scheduler's answers. Control thread only.

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "master/base/signal.h"
#include "scheduler/core/action.h"

namespace ontime::master {

class SubmitAnswers {
 public:
  struct Expected {
    explicit Expected(const asio::any_io_executor& executor) : answered(executor) {}
    Signal answered;
    scheduler::action::AnswerSubmit answer;  // its request is the event's
  };

  explicit SubmitAnswers(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // Of one more request, which is to be stepped now.
  std::shared_ptr<Expected> expect_one() {
    auto expected = std::make_shared<Expected>(executor_);
    expected->answer.request = ++last_request_;
    expected_.emplace(last_request_, expected);
    return expected;
  }

  // An unknown request (of a client that is gone) is fine.
  void on(const scheduler::action::AnswerSubmit& answer) {
    const auto found = expected_.find(answer.request);
    if (found == expected_.end()) return;
    found->second->answer = answer;
    found->second->answered.fire();
    expected_.erase(found);
  }

 private:
  const asio::any_io_executor executor_;
  std::uint64_t last_request_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Expected>> expected_;
};

}  // namespace ontime::master
