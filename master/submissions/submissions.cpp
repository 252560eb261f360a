#include "master/submissions/submissions.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <utility>

#include "common/base/kill_point.h"
#include "common/log/fields.h"
#include "common/records/formats.h"
#include "master/inputs/input_listing.h"
#include "master/inputs/plain_records.h"
#include "master/submissions/notify.h"
#include "master/submissions/submission.h"

// A false alarm of g++ 12 under sanitizers: when it inlines a coroutine into another one, it loses track of how the
// frame was allocated.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace ontime::master {
namespace {

// What a thread fills in. It may outlive the submission, and everything else.
struct Listed {
  Listed(wire::JobSpec asked, scheduler::JobSpec job, files::Roots roots, InputChoice choice, KnownIndex known_index)
      : request(std::move(asked)),
        begun(std::move(job)),
        inputs(std::move(roots), std::move(choice), std::move(known_index)) {}
  const wire::JobSpec request;
  scheduler::JobSpec begun;
  InputListing inputs;
  Result<scheduler::JobSpec> spec = failed("The job was not prepared.");
  std::string left_out;  // of the input, and what to know of it besides
  Status status;
};

struct Claimed {
  std::atomic<bool> has_begun = false;
  ClaimOutcome outcome{failed("The output directory was not claimed."), {}};
};

// Arguments from one directory go together: they may be many.
std::vector<std::vector<std::string>> by_directory(const wire::JobSpec& request) {
  std::vector<std::vector<std::string>> groups(1);
  std::filesystem::path last;
  for (const std::string& argument : request.inputs()) {
    const std::filesystem::path directory = std::filesystem::path(searched_at(argument)).parent_path();
    if (!groups.back().empty() && directory != last) groups.emplace_back();
    groups.back().push_back(argument);
    last = directory;
  }
  return groups;
}

void note(std::string& notes, const std::string& more) {
  if (!more.empty()) notes += (notes.empty() ? "" : "; ") + more;
}

// Lists these arguments; after the last ones the job is whole.
FileWork::Job listing_of(const std::shared_ptr<Listed>& listed, const std::vector<std::string>& group, bool is_last) {
  FileWork::Job job;
  job.path = group.empty() ? "/" : searched_at(group.front());
  job.work = [listed, group, is_last](const MayGoOn& may_go_on) {
    for (const std::string& argument : group) {
      if (listed->status && may_go_on()) listed->status = listed->inputs.add(argument);
    }
    if (!is_last || !listed->status || !may_go_on()) return;
    auto inputs = listed->inputs.finish();
    if (inputs) {
      listed->left_out = std::move(inputs->left_out);
      if (listed->begun.records == records::kByContent) {
        listed->begun.records = inputs->records;
        note(listed->left_out,
             "by its content, its records are " + (inputs->records.empty() ? "lines" : inputs->records));
      } else if (listed->begun.records.empty()) {
        note(listed->left_out, advice_on_records(inputs->files));
      }
      listed->begun.skip.inputs = std::move(inputs->skipped);
    }
    listed->spec =
        inputs ? finish_job(listed->request, std::move(listed->begun), std::move(inputs->files)) : inputs.error();
  };
  return job;
}

}  // namespace

bool Submissions::is_asked_for(const std::string& output) const {
  return std::any_of(claims_.begin(), claims_.end(), [&](const auto& entry) { return entry.second == output; });
}

bool Submissions::is_abandoned(const std::string& claim) const {
  const auto& jobs = control_.cluster().jobs();
  return is_claim_of(claim, cluster_id_) && !claims_.contains(claim) &&
         std::none_of(jobs.begin(), jobs.end(), [&](const auto& entry) {
           const bool is_over = scheduler::is_final(entry.second.state) && !committer_.is_busy_with(entry.first);
           return !is_over && entry.second.spec.claim == claim;
         });
}

asio::awaitable<Result<wire::Reply::Submitted>> Submissions::submit(wire::JobSpec request, std::string owner,
                                                                    IsWanted is_wanted) {
  const Result<std::string> output = output_of(request);
  if (!output) co_return output.error();
  if (is_asked_for(*output)) {
    co_return bad_input("The output directory '" + *output + "' is being used by another job.");
  }
  Result<scheduler::JobSpec> begun = begin_job(request, policy_);
  if (!begun) co_return begun.error();
  if (Status noted = choose_notices(*begun, {notices_, roots_.input}); !noted) co_return noted.error();
  const std::string id = make_claim_id(cluster_id_);
  begun->claim = id;
  begun->owner = std::move(owner);
  claims_.emplace(id, *output);
  std::string left_out;
  Result<scheduler::JobSpec> spec = co_await list(std::move(request), std::move(*begun), left_out);
  if (!spec) {
    claims_.erase(id);
    co_return spec.error();
  }
  Result<RoomForJobs::Reservation> room = room_.reserve(*spec);  // the claim may take long
  if (!room) {
    claims_.erase(id);
    co_return room.error();
  }
  const Status claimed = co_await claim(spec->output, spec->claim);
  if (!claimed) co_return claimed.error();
  if (!is_wanted()) {
    spdlog::warn("submission_dropped output={} reason=\"its client is gone\"", log::Quoted{spec->output});
    give_back(spec->output, spec->claim);
    co_return failed("The client is gone.");
  }
  claims_.erase(spec->claim);  // from here on the job itself stands for it, and for its room
  room->reset();
  wire::Reply::Submitted submitted = co_await hand_over(std::move(*spec));
  submitted.set_left_out(std::move(left_out));
  co_return submitted;
}

asio::awaitable<Status> Submissions::run(FileWork::Job job) {
  const auto done = std::make_shared<Signal>(control_.executor());
  const auto outcome = std::make_shared<Status>();
  job.done = [done, outcome](Status status) {
    *outcome = std::move(status);
    done->fire();
  };
  file_work_.start(std::move(job));
  co_await done->wait();
  co_return std::move(*outcome);
}

asio::awaitable<Result<scheduler::JobSpec>> Submissions::list(wire::JobSpec request, scheduler::JobSpec begun,
                                                              std::string& left_out) {
  auto choice = choice_of(request);
  if (!choice) co_return choice.error();
  choice->set_output(begun.output);
  const auto listed =
      std::make_shared<Listed>(std::move(request), std::move(begun), roots_.input, std::move(*choice), known_index_);
  const std::vector<Arguments> groups = by_directory(listed->request);
  for (const Arguments& group : groups) {
    FileWork::Job job = listing_of(listed, group, &group == &groups.back());
    Status ran = co_await run(std::move(job));
    if (!ran) co_return ran.error();
    if (!listed->status) co_return listed->status.error();
  }
  left_out = std::move(listed->left_out);
  co_return std::move(listed->spec);
}

asio::awaitable<Status> Submissions::claim(std::string output, std::string claim) {
  ClaimOutcome outcome = co_await try_claim(output, claim);
  if (is_abandoned(outcome.idle_claim)) {
    FileWork::Job discarded = discarding(output, outcome.idle_claim);
    outcome.status = co_await run(std::move(discarded));
    if (outcome.status) outcome = co_await try_claim(output, claim);
  }
  co_return outcome.status;
}

asio::awaitable<ClaimOutcome> Submissions::try_claim(std::string output, std::string claim) {
  claims_.emplace(claim, output);  // there is none if this is the second try
  const auto claimed = std::make_shared<Claimed>();
  FileWork::Job job;
  job.path = output;
  job.work = [claimed, output, claim, roots = roots_.output, lasting = committer_.lasting()](const MayGoOn&) {
    claimed->has_begun = true;
    claimed->outcome = Output::at(output, claim, roots, lasting)->claim();
    pass_kill_point("claim-synced");
  };
  job.late = [this, claimed, output, claim] {
    if (claimed->has_begun)
      give_back(output, claim);
    else
      claims_.erase(claim);
  };
  Status ran = co_await run(std::move(job));
  if (!ran) {
    ClaimOutcome given_up{std::move(ran), {}};
    co_return given_up;
  }
  if (!claimed->outcome.status) claims_.erase(claim);
  co_return claimed->outcome;
}

FileWork::Job Submissions::discarding(const std::string& output, const std::string& claim) const {
  FileWork::Job job;
  job.path = output;
  job.work = [output, claim, roots = roots_.output](const MayGoOn&) {
    static_cast<void>(Output::at(output, claim, roots)->discard(0));
  };
  return job;
}

// The claim is known until it is gone.
void Submissions::give_back(const std::string& output, const std::string& claim) {
  FileWork::Job job = discarding(output, claim);
  job.done = [this, claim](const Status&) { claims_.erase(claim); };
  job.gives_up = false;
  file_work_.start(std::move(job));
}

asio::awaitable<wire::Reply::Submitted> Submissions::hand_over(scheduler::JobSpec spec) {
  const auto expected = answers_.expect_one();
  const scheduler::Event event = scheduler::event::JobSubmitted{expected->answer.request, std::move(spec)};
  control_.step(event);
  co_await expected->answered.wait();
  wire::Reply::Submitted submitted;
  submitted.set_job(expected->answer.job.value);
  submitted.set_tasks(expected->answer.tasks);
  co_return submitted;
}

}  // namespace ontime::master
