#include "tests/load/campaign.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/load/stuck_peers.h"

namespace ontime::load {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::uint32_t kShown = 100;  // newest jobs, as `ontime jobs` asks for
constexpr std::uint64_t kSplitBytes = 1024;
constexpr std::uint32_t kSubmitters = 4;
constexpr int kRounds = 20;
constexpr int kPrograms = 10;
constexpr auto kTell = 5s;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// So large, and nothing in it: nobody reads it.
void make_input(const std::string& path, std::uint64_t bytes) {
  std::ofstream(path).close();
  fs::resize_file(path, bytes);
}

// Of what grew between two looks, in bytes for each of `count`.
double each(std::uint64_t after, std::uint64_t before, std::uint64_t count) {
  return (static_cast<double>(after) - static_cast<double>(before)) /
         static_cast<double>(std::max<std::uint64_t>(1, count));
}

template <class T>
T value(Result<T> result, const char* what) {
  if (!result) throw std::runtime_error(std::string(what) + ": " + result.error().message);
  return std::move(*result);
}

wire::Request list_question() {
  wire::Request request;
  request.mutable_list_jobs()->set_latest(kShown);
  return request;
}

unsigned long long number(std::uint64_t n) { return n; }

}  // namespace

Campaign::Campaign(Options options) : options_(std::move(options)), master_(options_) {}

cli::MasterClient Campaign::client() const {
  return cli::MasterClient({master_.endpoint(), "", nullptr, std::chrono::minutes(2), nullptr});
}

void Campaign::begin(const std::string& phase) {
  std::printf("-- %s\n", phase.c_str());
  std::fflush(stdout);
  before_ = master_.usage();
  begun_ = Clock::now();
}

// Says now and then how far it has got.
template <class Holds, class Tell>
void Campaign::until(const std::string& what, Holds holds, Tell tell) {
  for (auto next = Clock::now() + kTell; !holds(); std::this_thread::sleep_for(5ms)) {
    if (Clock::now() < next) continue;
    next = Clock::now() + kTell;
    std::printf("   waiting until %s: %s\n", what.c_str(), tell().c_str());
    std::fflush(stdout);
    master_.usage();  // throws if it has ended
  }
}

bool Campaign::run() {
  fs::create_directories(options_.directory + "/out");
  make_input(options_.directory + "/large", kSplitBytes * std::max(1u, options_.tasks));
  make_input(options_.directory + "/small", kSplitBytes);
  master_.start();
  clients_ = std::make_unique<ClientCrowd>(
      master_.endpoint(), options_.clients, list_question(),
      [this](const wire::Reply& reply) { return check_list(reply); }, failures_);
  workers_ = std::make_unique<WorkerCrowd>(master_.endpoint(), options_.workers, options_.slots, failures_);
  workers_->set_attempt_time(options_.attempt_time);
  submit_large();
  submit_jobs();
  enlist_workers();
  clients_->connect();
  measure_clients("clients");
  if (options_.stuck > 0) measure_with_stuck_peers();
  finish_tasks();
  measure_clients("clients, with the tasks done");
  measure_accounts();
  restart();
  measure_clients("clients, after the restart");
  finish_jobs();
  look_at_outputs();
  workers_.reset();
  if (master_.stop() != 0) failures_.add("the master did not end well");
  std::printf("%llu wrong or lost\n", number(failures_.count()));
  return failures_.count() == 0;
}

wire::JobSpec Campaign::spec(const std::string& input, std::uint64_t split_bytes, const std::string& output) const {
  wire::JobSpec spec;
  spec.set_application("wordcount");
  spec.add_inputs(options_.directory + "/" + input);
  spec.set_output(output);
  spec.set_split_bytes(split_bytes);
  spec.mutable_settings()->set_attempts_max(4);
  spec.mutable_settings()->set_record_bytes_max(1u << 20);
  return spec;
}

std::string Campaign::output_of(std::uint32_t job) const { return options_.directory + "/out/j" + std::to_string(job); }

void Campaign::submit_large() {
  if (options_.tasks == 0) return;
  begin("one job of " + std::to_string(options_.tasks) + " tasks");
  auto asker = client();
  const auto submitted = value(asker.submit(spec("large", kSplitBytes, options_.directory + "/out/large")), "submit");
  large_ = submitted.job();
  if (submitted.tasks() != options_.tasks)
    failures_.add("the large job has " + std::to_string(submitted.tasks()) + " tasks");
  const Usage now = master_.usage();
  std::printf("   accepted in %.2f s; %.0f bytes of memory a task (resident size, %.1f MiB at first)\n", since(begun_),
              each(now.resident_bytes, before_.resident_bytes, options_.tasks),
              static_cast<double>(before_.resident_bytes) / (1 << 20));
}

void Campaign::submit_some(std::uint32_t from, std::uint32_t to) {
  auto asker = client();
  for (std::uint32_t job = from; job < to; ++job) {
    const auto submitted = asker.submit(spec("small", 0, output_of(job)));
    if (!submitted) failures_.add("a job was not accepted: " + submitted.error().message);
  }
}

void Campaign::submit_jobs() {
  begin(std::to_string(options_.jobs) + " jobs that wait");
  std::vector<std::jthread> submitters;
  const std::uint32_t share = (options_.jobs + kSubmitters - 1) / kSubmitters;
  std::atomic<std::uint32_t> left = kSubmitters;
  for (std::uint32_t i = 0; i < kSubmitters; ++i) {
    submitters.emplace_back([this, i, share, &left] {
      submit_some(std::min(options_.jobs, i * share), std::min(options_.jobs, (i + 1) * share));
      --left;
    });
  }
  auto asker = client();
  until(
      "all are accepted", [&left] { return left == 0; },
      [&] {
        const auto jobs = asker.list_jobs({.latest = 1});
        return jobs && jobs->jobs_size() > 0 ? std::to_string(jobs->jobs(0).job()) : std::string("?");
      });
  const Usage now = master_.usage();
  const double took = since(begun_);
  std::printf("   accepted in %.1f s, %.0f a second; %.0f bytes of memory a job\n", took, options_.jobs / took,
              each(now.resident_bytes, before_.resident_bytes, options_.jobs));
}

void Campaign::enlist_workers() {
  begin(std::to_string(options_.workers) + " workers with " + std::to_string(options_.slots) + " attempts each");
  workers_->start();
  const std::uint64_t slots = std::uint64_t{options_.workers} * options_.slots;
  const std::uint64_t wanted = std::min<std::uint64_t>(slots, options_.tasks + options_.jobs);
  until(
      "they have their attempts", [&] { return workers_->counts().launches >= wanted; },
      [&] { return std::to_string(workers_->counts().launches); });
  const Usage now = master_.usage();
  std::printf("   at work in %.2f s; %.1f KiB of memory a worker, %zu descriptors\n", since(begun_),
              each(now.resident_bytes, before_.resident_bytes, options_.workers) / 1024, now.descriptors);
  begin("heartbeats alone");
  std::this_thread::sleep_for(options_.length);
  const Usage then = master_.usage();
  std::printf("   the master is busy for %.1f %% of one core\n",
              100 * (then.cpu_seconds - before_.cpu_seconds) / since(begun_));
}

// The newest jobs, each of them, in order.
std::string Campaign::check_list(const wire::Reply& reply) const {
  if (!reply.error().empty()) return "an error instead of a list: " + reply.error();
  const auto& jobs = reply.jobs().jobs();
  const std::uint32_t known = jobs_known();
  const std::uint32_t shown = std::min(known, kShown);
  if (jobs.size() != static_cast<int>(shown)) return "a list of " + std::to_string(jobs.size()) + " jobs";
  if (reply.jobs().older() != known - shown) return std::to_string(reply.jobs().older()) + " jobs are said to be older";
  for (std::uint32_t i = 0; i < shown; ++i) {
    if (jobs[static_cast<int>(i)].job() != known - shown + 1 + i) return "a list with another job than it should have";
  }
  return "";
}

void Campaign::measure_clients(const std::string& when) {
  if (options_.clients == 0) return;
  begin(std::to_string(options_.clients) + " " + when);
  const Latencies evenly = clients_->ask_evenly(1s, options_.length);
  const Usage now = master_.usage();
  std::printf("   each once a second: %s; the master is busy for %.1f %%\n", describe(evenly).c_str(),
              100 * (now.cpu_seconds - before_.cpu_seconds) / since(begun_));
  const Latencies at_once = clients_->ask_at_once(kRounds);
  std::printf("   all at once, %d times: %s\n", kRounds, describe(at_once).c_str());
  time_program();
}

void Campaign::time_program() {
  Latencies latencies;
  for (int i = 0; i < kPrograms; ++i) {
    const auto begin = Clock::now();
    const test::Finished end = test::run(
        {options_.programs + "/ontime", "jobs", "--master", "127.0.0.1:" + std::to_string(master_.endpoint().port)});
    latencies.add(Clock::now() - begin);
    if (end.status != 0) failures_.add("'ontime jobs' ended with " + std::to_string(end.status) + ": " + end.err);
  }
  std::printf("   the program 'ontime jobs', from its start to its end: %s\n", describe(latencies).c_str());
}

// What a page, or a scraper of metrics, asks for: every task is looked at. The lists of the others must not wait.
void Campaign::measure_accounts() {
  if (large_ == 0 || options_.clients == 0) return;
  begin("the same beside one who asks for accounts all the time");
  Latencies of_all, of_large, forecasts;
  const auto timed = [](Latencies& latencies, auto ask) {
    const auto begin = Clock::now();
    auto answer = ask();
    latencies.add(Clock::now() - begin);
    return answer;
  };
  std::jthread accountant([&](const std::stop_token& stop) {
    auto asker = client();
    while (!stop.stop_requested()) {
      const auto jobs = timed(of_all, [&] { return asker.list_jobs({.accounts = true, .latest = kShown}); });
      const auto job = timed(of_large, [&] { return asker.describe(JobId{large_}, {.account = true}); });
      const auto told = timed(forecasts, [&] { return asker.describe(JobId{large_}, {.forecast = true}); });
      if (!told) failures_.add("no forecast");
      if (!jobs || jobs->accounts_size() == 0) failures_.add("no accounts");
      if (!job || job->account().useful_bytes() == 0) failures_.add("the large job has no account");
    }
  });
  const Latencies evenly = clients_->ask_evenly(1s, options_.length);
  accountant.request_stop();
  accountant.join();
  const Usage now = master_.usage();
  std::printf("   each once a second: %s; the master is busy for %.1f %%\n", describe(evenly).c_str(),
              100 * (now.cpu_seconds - before_.cpu_seconds) / since(begun_));
  std::printf("   accounts of all jobs: %s\n", describe(of_all).c_str());
  std::printf("   account of the large job: %s\n", describe(of_large).c_str());
  std::printf("   its forecast: %s\n", describe(forecasts).c_str());
}

void Campaign::measure_with_stuck_peers() {
  StuckPeers peers(master_.endpoint(), options_.stuck);
  peers.start();
  measure_clients("clients beside " + std::to_string(peers.count()) + " stuck peers");
  until(
      "the stuck peers are disconnected", [&] { return peers.closed() == peers.count(); },
      [&] { return std::to_string(peers.closed()); });
  const Usage now = master_.usage();
  std::printf("   all of them disconnected %.1f s after they came; the master's memory grew by %.1f MiB\n",
              since(begun_), each(now.resident_bytes, before_.resident_bytes, 1 << 20));
}

Work Campaign::work() {
  auto asker = client();
  const auto nodes = value(asker.list_nodes(), "list the nodes");
  const wire::Histogram& journal = nodes.measures().journal();
  Work work = work_until_now(master_.pid());
  work.journal_busy = 1e-9 * static_cast<double>(journal.sum_ns());
  for (const std::uint64_t count : journal.counts()) work.batches += count;
  work.journal_bytes = master_.journal_bytes();
  return work;
}

void Campaign::finish_tasks() {
  const std::uint64_t kept = std::uint64_t{options_.workers} * options_.slots + workers_->tasks_done(large_);
  const std::uint64_t wanted =
      std::min<std::uint64_t>(options_.finished, options_.tasks - std::min<std::uint64_t>(options_.tasks, kept));
  if (wanted == 0) return;
  begin(std::to_string(wanted) + " tasks are done, as fast as it goes");
  const Work at_begin = work();
  const std::uint64_t journal = master_.journal_bytes();
  const std::uint64_t recording = master_.recording_bytes();
  const std::uint64_t at_first = workers_->counts().tasks_done;
  workers_->set_attempt_time(0ns);
  const auto done = [&] { return workers_->counts().tasks_done - at_first; };
  until(
      "they are done", [&] { return done() >= wanted; }, [&] { return std::to_string(done()); });
  const double took = since(begun_);
  const std::uint64_t count = done();
  const Work spent = work() - at_begin;
  workers_->set_attempt_time(options_.attempt_time);
  until(
      "all reports are acknowledged", [&] { return workers_->is_quiet(); }, [] { return std::string("not yet"); });
  const Usage now = master_.usage();
  std::printf("   %.0f tasks a second; the master is busy for %.0f %%; %.0f more bytes of memory a task\n",
              static_cast<double>(count) / took, 100 * (now.cpu_seconds - before_.cpu_seconds) / took,
              each(now.resident_bytes, before_.resident_bytes, count));
  std::printf("   on disk: %.0f bytes of journal and %.0f of recording a task\n",
              each(master_.journal_bytes(), journal, count), each(master_.recording_bytes(), recording, count));
  const double syncs =
      syncs_per_second(options_.directory, spent.journal_bytes / std::max<std::uint64_t>(1, spent.batches));
  std::printf("%s", roofline_text(spent, count, syncs, std::thread::hardware_concurrency()).c_str());
}

// What the master has told workers that it knows, it knows.
void Campaign::check_large(std::uint64_t at_least) {
  if (large_ == 0) return;
  auto asker = client();
  const auto job = value(asker.describe(JobId{large_}, {}), "describe");
  const std::uint64_t at_most = workers_->tasks_done(large_);
  if (job.summary().tasks_done() < at_least) {
    failures_.add("tasks got lost: " + std::to_string(job.summary().tasks_done()) + " are done of " +
                  std::to_string(at_least) + " that were");
  }
  if (job.summary().tasks_done() > at_most) failures_.add("more tasks are done than were");
}

void Campaign::check_all_known() {
  auto asker = client();
  const auto jobs = value(asker.list_jobs(), "list");
  std::set<std::uint32_t> known;
  for (const wire::JobSummary& job : jobs.jobs()) known.insert(job.job());
  if (known.size() != jobs_known() || jobs.jobs_size() != static_cast<int>(jobs_known())) {
    failures_.add(std::to_string(known.size()) + " jobs are known of " + std::to_string(jobs_known()));
  }
}

void Campaign::restart() {
  begin("SIGKILL of the master, and the next one");
  auto asker = client();
  const std::uint64_t done =
      large_ == 0 ? 0 : value(asker.describe(JobId{large_}, {}), "describe").summary().tasks_done();
  const std::uint64_t fenced = workers_->counts().fenced;
  master_.kill();
  workers_->expect_new_master();
  begun_ = Clock::now();
  master_.start();
  check_all_known();
  std::printf("   it answers %.2f s after its start", since(begun_));
  std::fflush(stdout);
  until(
      "all workers are back", [&] { return workers_->counts().welcomed >= options_.workers; },
      [&] { return std::to_string(workers_->counts().welcomed); });
  std::printf(", has all workers back after %.2f s, and took %llu attempts from them\n", since(begun_),
              number(workers_->counts().fenced - fenced));
  check_large(done);
  std::printf("   memory: %.1f MiB\n", static_cast<double>(master_.usage().resident_bytes) / (1 << 20));
  clients_->connect();
}

void Campaign::finish_jobs() {
  begin("the large job is killed, all others are done");
  auto asker = client();
  if (large_ != 0) value(asker.kill(JobId{large_}), "kill");
  workers_->set_attempt_time(0ns);
  const auto ended = [&] {
    const auto jobs = value(asker.list_jobs(), "list");
    std::uint64_t open = 0;
    for (const wire::JobSummary& job : jobs.jobs()) {
      open += job.state() == wire::QUEUED || job.state() == wire::RUNNING || job.state() == wire::COMMITTING ? 1u : 0u;
      if (job.state() == wire::FAILED) failures_.add("a job has failed: " + job.message());
    }
    std::this_thread::sleep_for(200ms);
    return open;
  };
  std::uint64_t open = 1;
  until(
      "all jobs have ended", [&] { return (open = ended()) == 0; }, [&] { return std::to_string(open) + " have not"; });
  std::printf("   %.0f jobs a second\n", options_.jobs / since(begun_));
}

// Older jobs than the master remembers have their outputs too.
void Campaign::look_at_outputs() {
  for (std::uint32_t job = 0; job < options_.jobs; ++job) {
    const bool is_whole = fs::exists(output_of(job) + "/_SUCCESS") && fs::exists(output_of(job) + "/part-m-00000") &&
                          !fs::exists(output_of(job) + "/_attempts");
    if (!is_whole) failures_.add("the output of a job is not whole: " + output_of(job));
  }
}

}  // namespace ontime::load
