#include "master/master.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/injection/settings.h"
#include "common/injection/wire.h"
#include "common/log/fields.h"
#include "common/net/coroutine.h"
#include "master/clients/kept_history.h"
#include "scheduler/core/record.h"

namespace ontime::master {
namespace {

Lasting lasting_of(const Settings& settings) {
  return settings.journal_sync ? Lasting::SinceSeal : Lasting::FromCommit;
}

wire::ToWorker::Welcome welcome_of(const Settings& settings) {
  wire::ToWorker::Welcome welcome;
  welcome.set_heartbeat_interval_ns(settings.heartbeat.count());
  // A silent master that others can follow is left as soon as one of them may lead.
  const bool is_followed = settings.lease > Duration(0);
  welcome.set_silence_max_ns((is_followed ? settings.lease : std::max(kSilenceMin, settings.node_timeout)).count());
  welcome.set_syncs_at_commit(!settings.journal_sync);
  if (settings.injection) *welcome.mutable_injection() = injection::to_wire(*settings.injection);
  return welcome;
}

// Nodes are containers then: none of them is slow, takes another attempt or falls silent on its own. An answer comes
// with the next report of an attempt, every six seconds if Hadoop is set up as usual.
void fit_to_hadoop(scheduler::Settings& scheduling) {
  constexpr Duration kAnswerMax = std::chrono::seconds(30);
  scheduling.node_timeout = std::chrono::hours(24 * 3650);
  scheduling.cut_timeout = std::max(scheduling.cut_timeout, kAnswerMax);
  scheduling.placement.fast_first = scheduling.placement.leave_out = scheduling.placement.warm_first = false;
}

scheduler::Settings scheduling_of(const Settings& settings) {
  scheduler::Settings scheduling;
  scheduling.node_timeout = settings.node_timeout;
  scheduling.cut_timeout = settings.cut_timeout;
  scheduling.placement = settings.placement;
  scheduling.history = settings.history;
  scheduling.job_order = settings.job_order;
  scheduling.owner_share = settings.owner_share;
  if (settings.advise > 0) fit_to_hadoop(scheduling);
  return scheduling;
}

namespace fact = scheduler::fact;

struct LevelOf {
  spdlog::level::level_enum operator()(const fact::AttemptEnded& ended) const {
    using scheduler::AttemptEnd;
    const bool is_usual = ended.end == AttemptEnd::Killed || ended.end == AttemptEnd::Lost;
    return is_usual ? spdlog::level::debug : spdlog::level::warn;
  }
  spdlog::level::level_enum operator()(const fact::PolicyDecided& decided) const {
    return decided.decision.reason == scheduler::kPolicyMissing ? spdlog::level::warn : spdlog::level::info;
  }
  spdlog::level::level_enum operator()(const fact::JobEnded& ended) const {
    return ended.state == scheduler::JobState::Failed ? spdlog::level::warn : spdlog::level::info;
  }
  spdlog::level::level_enum operator()(const fact::MasterStarted&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::NodeAdded&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::DutyChanged&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::JobAccepted&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::CommitStarted&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::TaskReopened&) const { return spdlog::level::warn; }
  spdlog::level::level_enum operator()(const fact::InputLeftOut&) const { return spdlog::level::warn; }
  spdlog::level::level_enum operator()(const auto&) const { return spdlog::level::debug; }
};

// What the cluster knows about it and the fact does not say.
std::string more_about(const scheduler::Fact& fact, const scheduler::Cluster& cluster) {
  if (const auto* changed = std::get_if<fact::DutyChanged>(&fact)) {
    const scheduler::Node* node = cluster.find_node(changed->node);
    return node == nullptr ? "" : fmt::format(" name={}", log::Quoted{node->name});
  }
  if (const auto* ended = std::get_if<fact::JobEnded>(&fact)) {
    const scheduler::Job* job = cluster.find_job(ended->job);
    return job == nullptr ? "" : fmt::format(" seconds={:.3f}", seconds(job->ended_at - job->submitted_at));
  }
  return "";
}

// Logs what happens, one event per line, from the records: complete by construction, and nothing in scheduler/ logs.
// Jobs and nodes at info, failures at warn, the life of single attempts at debug.
void log_record(const scheduler::JournalRecord& record, const scheduler::Cluster& cluster) {
  const auto level = std::visit(LevelOf{}, record.fact);
  if (!spdlog::should_log(level)) return;
  spdlog::log(level, "{}{}", scheduler::describe(record.fact, scheduler::Ids::All), more_about(record.fact, cluster));
}

}  // namespace

Result<Master::Recovered> Master::recover(journal::Journal& journal, const Settings& settings,
                                          recording::Recorder* recorder) {
  Result<Recovered> recovered = read(journal, settings, recorder);
  const TimePoint wall = Clock::wall_now();
  if (!recovered || recovered->last <= wall + Clock::kAheadMax) return recovered;
  if (wall < recovered->first) {  // then it is this clock that is wrong; nothing stored can be put right again
    spdlog::warn(
        "clock_before_journal behind_seconds={} message=\"this machine's clock is before the first record of "
        "the journal; the master goes on from the last one\"",
        static_cast<std::int64_t>(seconds(recovered->last - wall)));
    return recovered;
  }
  spdlog::warn(
      "journal_time_set_back ahead_seconds={} message=\"a master ran with a clock ahead of this one; what it "
      "recorded counts as of now\"",
      static_cast<std::int64_t>(seconds(recovered->last - wall)));
  if (Status status = journal.set_back(wall); !status) return status.error();
  if (recorder != nullptr) recorder->forget_known();
  return read(journal, settings, recorder);
}

Result<Master::Recovered> Master::read(journal::Journal& journal, const Settings& settings,
                                       recording::Recorder* recorder) {
  Recovered recovered;
  recovered.scheduler = std::make_unique<scheduler::Scheduler>(scheduling_of(settings));
  const Status status =
      journal.read_with_messages([&](const scheduler::JournalRecord& record, std::string_view message) {
        recovered.scheduler->replay(record);
        if (recorder != nullptr) recorder->add_known(record, message);
        recovered.failures.observe(record);
        recovered.first = std::min(recovered.first, record.at);
        recovered.last = std::max(recovered.last, record.at);
      });
  if (!status) return status.error();
  return recovered;
}

Result<std::unique_ptr<Master>> Master::make(asio::io_context& io, journal::Journal& journal, Settings settings,
                                             asio::ip::tcp::acceptor socket, JournalWriter::OnFailure on_failure,
                                             std::unique_ptr<recording::Recorder> recorder) {
  Result<Recovered> recovered = recover(journal, settings, recorder.get());
  if (!recovered) return recovered.error();
  return std::unique_ptr<Master>(new Master(io, journal, settings, std::move(socket), std::move(on_failure),
                                            std::move(*recovered), std::move(recorder)));
}

Master::Master(asio::io_context& io, journal::Journal& journal, const Settings& settings,
               asio::ip::tcp::acceptor socket, JournalWriter::OnFailure on_failure, Recovered recovered,
               std::unique_ptr<recording::Recorder> recorder)
    : cluster_id_(journal.cluster()),
      heartbeat_(settings.heartbeat),
      scheduling_(scheduling_of(settings)),
      scheduler_(std::move(recovered.scheduler)),
      recorder_(std::move(recorder)),
      failures_(std::move(recovered.failures)),
      indexes_(settings.index_directory, settings.shared_index_directory),
      watch_(io.get_executor()),
      answers_(io.get_executor()),
      dispatcher_(welcome_of(settings),
                  {committer_, logs_, answers_, indexes_, settings.advise > 0 ? &applications_ : nullptr}),
      control_({io.get_executor(), *scheduler_, dispatcher_, journal, recorder_.get(),
                [this](const scheduler::JournalRecord& record) { observe(record); }},
               Clock(recovered.last), std::move(on_failure)),
      commit_work_(io.get_executor()),
      submission_work_(io.get_executor()),
      committer_(commit_work_, settings.roots.output, lasting_of(settings),
                 [this](const scheduler::event::CommitFinished& finished) { control_.step(finished); }),
      lists_(control_),
      accounts_(io.get_executor(), scheduler_->cluster(), [this] { return control_.now(); }),
      pictures_(io.get_executor(), *scheduler_, failures_, [this] { return control_.now(); }),
      history_(io.get_executor(), scheduler_->cluster(),
               {settings.history_directory, settings.history_directory.empty() ? 0 : settings.history_bytes_max}),
      notices_({control_, pictures_, settings.notices.tell, journal.cluster(), settings.notices.secret}),
      room_(scheduler_->cluster(), settings.owner_share,
            [&journal](std::uint64_t bytes) { return journal.has_room_for(bytes); }),
      submissions_(
          control_, answers_, submission_work_, committer_, room_, journal.cluster(), settings.policy, settings.roots,
          [this](const scheduler::InputFile& file) { return indexes_.find(file); }, settings.notices.otherwise),
      command_right_(settings.notices.command_right),
      is_command_right_given_(settings.notices.is_command_right_given),
      advisor_(make_advisor(settings)),
      acceptor_(
          std::move(socket),
          {journal.cluster(), scheduler_->cluster().epoch() + 1, settings.tokens, settings.tls, settings.advise > 0},
          {settings.stuck_max, settings.idle_max}, dispatcher_,
          {control_, submissions_, watch_, lists_, accounts_, pictures_, failures_, logs_, history_, indexes_,
           machine_uses_, command_right_, settings.advise > 0,
           settings.injection ? injection::describe(*settings.injection) : std::string()},
          advisor_.get()),
      wind_down_(io.get_executor()) {}

Master::~Master() { stop(); }

std::unique_ptr<Advisor> Master::make_advisor(const Settings& settings) {
  if (settings.advise == 0) return nullptr;
  return std::make_unique<Advisor>(Advisor::Parts{control_, applications_, logs_, room_}, settings.advise,
                                   settings.policy, settings.notices.otherwise);
}

void Master::start() {
  discard_left_output();
  history_.start();
  begin_recording();
  control_.start();
  end_jobs_of_the_other_kind(advisor_ != nullptr);
  if (advisor_) advisor_->start();
  pictures_.on_forecast = [this](JobId id, const wire::Forecast& forecast) { notices_.foresee(id, forecast); };
  pictures_.start();
  notices_.start();
  acceptor_.start();
}

// Several owners may come by them.
std::size_t Master::set_tokens(net::Tokens tokens) {
  if (tokens.all().size() > 1 && !is_command_right_given_) command_right_.reset();
  return acceptor_.set_tokens(std::move(tokens));
}

void Master::begin_recording() {
  if (!recorder_) return;
  recorder_->begin(scheduler_->cluster().epoch() + 1, {cluster_id_, control_.now(), heartbeat_, scheduling_});
}

void Master::wind_down(std::function<void()> then) {
  if (control_.is_settled()) return then();
  wind_down_.expires_after(kWindDownMax);
  wind_down_.async_wait([then](const asio::error_code& error) {
    if (!error) then();
  });
  control_.defer([this, then, until = wind_down_.expiry()] { end_when_told(then, until); });
}

// Answers are made by what the last batch has woken up, and leave at once where the peer reads.
void Master::end_when_told(std::function<void()> then, asio::steady_timer::time_point until) {
  wind_down_.expires_after(kLastWords);
  wind_down_.async_wait([this, then = std::move(then), until](const asio::error_code& error) {
    if (error) return;
    const bool is_over = wind_down_.expiry() >= until;
    if (is_over || !acceptor_.has_unsent()) return then();
    end_when_told(then, until);
  });
}

bool Master::stop() {
  acceptor_.close();
  pictures_.stop();
  notices_.stop();
  const bool have_commits_ended = commit_work_.stop();
  return submission_work_.stop() && have_commits_ended;
}

void Master::observe(const scheduler::JournalRecord& record) {
  log_record(record, scheduler_->cluster());
  failures_.observe(record);
  notices_.observe(record);
  if (const auto* ended = std::get_if<scheduler::fact::JobEnded>(&record.fact)) {
    watch_.ended(ended->job);
    if (history_.is_on())
      asio::co_spawn(control_.executor(), keep_history(ended->job), net::AbortOnException{"keep_history"});
  }
  if (const auto* forgotten = std::get_if<scheduler::fact::JobForgotten>(&record.fact)) {
    logs_.forget(forgotten->job);
    pictures_.forget(forgotten->job);
    history_.forget(forgotten->job);
  }
}

asio::awaitable<void> Master::keep_history(JobId id) {
  std::uint64_t logs_kept = 0;
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) co_await net::sleep_for(kLateLogs);
    const scheduler::Job* job = cluster().find_job(id);
    if (job == nullptr) co_return;
    auto kept = told_of(id, *job, *scheduler_, pictures_, logs_);
    const bool has_more = turn == 0 || kept.logs().next() != logs_kept;
    logs_kept = kept.logs().next();
    if (has_more) history_.keep(id, std::move(kept));
  }
}

void Master::discard_left_output() {
  const scheduler::Cluster& cluster = scheduler_->cluster();
  for (const auto& [id, job] : cluster.jobs()) {
    const bool has_failed = is_final(job.state) && job.state != scheduler::JobState::Succeeded;
    if (has_failed && !job.spec.advised) committer_.discard(scheduler::discard_of(cluster, id));
  }
}

// What an Ontime job is committing may be in place already, so that goes on.
void Master::end_jobs_of_the_other_kind(bool advises) {
  std::vector<JobId> others;
  for (const auto& [id, job] : scheduler_->cluster().jobs()) {
    if (job.spec.advised != advises && !is_final(job.state)) others.push_back(id);
  }
  const char* why = advises ? "the master was started again with --advise, so it runs no jobs itself"
                            : "the master was started again without --advise";
  for (const JobId id : others) {
    control_.step(scheduler::event::JobKillRequested{id, why});
    if (!advises) control_.step(scheduler::event::CommitFinished{id, why});
  }
}

}  // namespace ontime::master
