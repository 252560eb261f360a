#include "master/submissions.h"

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

#include "common/base/kill_point.h"
#include "master/output_directory.h"
#include "master/submission.h"

namespace ontime::master {
namespace {

// A job that passes both has its output directory.
Result<scheduler::JobSpec> prepare_and_claim(const wire::JobSpec& request, const std::string& cluster_id,
                                             const PolicyChoice& policy, const JobRoots& roots) {
  Result<scheduler::JobSpec> spec = prepare_job(request, policy, roots.input);
  if (!spec) return spec;
  if (Status status = claim_output(spec->output, cluster_id, roots.output); !status) return status.error();
  pass_kill_point("claim-synced");
  return spec;
}

}  // namespace

Submissions::~Submissions() { threads_.join(); }

bool Submissions::is_output_in_use(const std::string& directory) const {
  const auto& jobs = control_.cluster().jobs();
  return outputs_.contains(directory) || std::any_of(jobs.begin(), jobs.end(), [&](const auto& entry) {
           const bool is_over = scheduler::is_final(entry.second.state) && !committer_.is_busy_with(entry.first);
           return !is_over && entry.second.spec.output == directory;
         });
}

asio::awaitable<Result<wire::Reply::Submitted>> Submissions::submit(wire::JobSpec request) {
  const Result<std::string> output = output_of(request);
  if (!output) co_return output.error();
  if (is_output_in_use(*output))
    co_return bad_input("The output directory '" + *output + "' is being used by another job.");
  outputs_.insert(*output);
  const std::shared_ptr<Preparing> preparing = prepare(std::move(request));
  co_await preparing->done.wait();
  outputs_.erase(*output);  // from here on the job itself stands for it
  if (!preparing->spec) co_return preparing->spec.error();
  co_return co_await hand_over(std::move(*preparing->spec));
}

std::shared_ptr<Submissions::Preparing> Submissions::prepare(wire::JobSpec request) {
  auto preparing = std::make_shared<Preparing>(control_.executor());
  asio::post(threads_, [this, preparing, request = std::move(request)]() mutable {
    preparing->spec = prepare_and_claim(request, cluster_id_, policy_, roots_);
    asio::post(control_.executor(), [preparing = std::move(preparing)] { preparing->done.fire(); });
  });
  return preparing;
}

asio::awaitable<Result<wire::Reply::Submitted>> Submissions::hand_over(scheduler::JobSpec spec) {
  const std::uint64_t request = ++last_request_;
  const auto waiting = std::make_shared<Waiting>(control_.executor());
  waiting_.emplace(request, waiting);
  const scheduler::Event event = scheduler::event::JobSubmitted{request, std::move(spec)};
  control_.step(event);
  co_await waiting->answered.wait();
  co_return std::move(waiting->reply);
}

void Submissions::on_answer(const scheduler::action::AnswerSubmit& answer) {
  const auto found = waiting_.find(answer.request);
  if (found == waiting_.end()) return;
  found->second->reply.set_job(answer.job.value);
  found->second->reply.set_tasks(answer.tasks);
  found->second->answered.fire();
  waiting_.erase(found);
}

}  // namespace ontime::master
