// hostile_campaign: one of those inside does all the harm that his token allows, for long, while honest jobs run beside
// him: each has to end in time with the answer that it has alone. See docs/security.md. Run it as root, so that workers
// can give each job a user of its own.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <thread>

#include "common/base/units.h"
#include "common/flags/flags.h"
#include "common/protocol/client.pb.h"
#include "tests/load/failures.h"
#include "tests/load/hostile_cluster.h"
#include "tests/support/process.h"
#include "tests/system/hostile_peer.h"

namespace ontime::load {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kDeafMost = 300;  // connections of the reader at a time

// What is done is drawn at random; the same seed draws the same.
class Opponent {
 public:
  Opponent(Cluster& cluster, std::uint64_t seed, Failures& failures)
      : cluster_(cluster), failures_(failures), random_(seed) {}
  virtual ~Opponent() = default;
  virtual void act() = 0;
  std::uint64_t acts() const { return acts_; }
  std::uint64_t let_in() const { return let_in_; }

 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  // What he must not be able to do.
  void expect_refused(const test::Finished& end, const std::string& what) {
    if (end.status == 0) failures_.add(what);
  }

  Cluster& cluster_;
  Failures& failures_;
  std::atomic<std::uint64_t> acts_ = 0;
  std::atomic<std::uint64_t> let_in_ = 0;  // of these: the others were refused, and did no harm

 private:
  std::mt19937_64 random_;
};

class Submitter final : public Opponent {
 public:
  using Opponent::Opponent;
  void act() override {
    ++acts_;
    switch (below(10)) {
      case 0:
        return kill_anothers();
      case 1:
        return submit({"--set", "command=cat # " + std::string((50 << 10) + below(50 << 10), 'x')});
      case 2:
        return submit({"--set", "command=cat", "--split-size", "1"});
      case 3:
        return void(ask({"submit", "wordcount", ONTIME_TEST_TEXT, "--output", cluster_.at("honest")}));
      case 4:
        for (int i = 0; i < 10; ++i) submit({"--set", "command=sleep 1", "--deadline", "1s"});
        return;
      default:
        return submit({"--set", "command=" + harm(), "--policy", "clone", "--deadline", "5s", "--splits", "4"});
    }
  }

 private:
  test::Finished ask(test::Arguments arguments) { return test::run(cluster_.client("mallory", std::move(arguments))); }

  void kill_anothers() {
    const std::string id = "job-" + std::to_string(1 + below(2 * (made_ + 1)));
    if (!ever_own_.contains(id)) expect_refused(ask({"kill", id}), "mallory has killed a job of alice: " + id);
  }

  void submit(test::Arguments more) {
    test::Arguments arguments{"submit", "exec", ONTIME_TEST_TEXT, "--output", cluster_.at("m-" + std::to_string(++made_))};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Finished end = test::run(cluster_.client("mallory", arguments));
    const std::string id = end.out.substr(0, end.out.find('\n'));
    if (end.status == 0) {
      ++let_in_;
      own_.push_back(id);
      ever_own_.insert(id);
    }
    if (own_.size() > 40) {  // he makes room for more
      ask({"kill", own_.front()});
      own_.erase(own_.begin());
    }
  }

  std::string harm() {
    static const char* const kinds[] = {
        "for p in /proc/[0-9]*; do echo evil > $p/fd/1; echo evil > $p/fd/3; done 2>/dev/null; cat",
        "kill -9 -1; cat",
        "kill -STOP $PPID; sleep 600",
        "trap '' TERM; sleep 600",
        "b() { b | b & }; b; sleep 20",
        "tail -c 2G /dev/zero",
        "head -c 20M /dev/zero",
        "i=0; while [ $i -lt 500 ]; do sleep 300 & i=$((i+1)); done; cat",
        "while :; do :; done",
        // Programs that have left their group, and stop the processes that come to end them.
        "setsid sh -c 'while :; do kill -9 -1; done' & cat",
        "setsid sh -c 'while :; do read a b c d p < /proc/loadavg; kill -STOP $((p+1)) $((p+2)) $((p+3)); done' & cat",
        "rm -rf /tmp/ontime* ; find / -newer /proc/self -name 'part*' -exec sh -c 'echo evil > {}' ';' 2>/dev/null",
    };
    return kinds[below(std::size(kinds))];
  }

  std::vector<std::string> own_;  // that have not been killed
  std::set<std::string> ever_own_;
  std::uint64_t made_ = 0;
};

class Reader final : public Opponent {
 public:
  using Opponent::Opponent;
  void act() override {
    ++acts_;
    if (below(50) == 0) {
      expect_refused(test::run(cluster_.client("reader", {"submit", "wordcount", ONTIME_TEST_TEXT, "--output", cluster_.at("r")})),
                     "the reader has submitted a job");
      expect_refused(test::run(cluster_.client("reader", {"kill", "1"})), "the reader has killed a job");
    }
    while (deaf_.size() >= kDeafMost) deaf_.erase(deaf_.begin() + static_cast<std::ptrdiff_t>(below(deaf_.size())));
    auto peer = std::make_unique<test::HostilePeer>(cluster_.address());
    if (below(10) != 0 && !peer->greet(wire::CLIENT, "", "reader-secret-3d")) return;
    ++let_in_;
    const auto questions = below(200);
    for (std::uint64_t i = 0; i < questions && peer->say(question()); ++i) {
    }
    if (below(4) == 0) peer->send(std::string(1 + below(1000), static_cast<char>(below(256))));
    deaf_.push_back(std::move(peer));
  }

 private:
  wire::Request question() {
    wire::Request request;
    switch (below(5)) {
      case 0:
        request.mutable_list_jobs()->set_accounts(true);
        break;
      case 1:
        request.mutable_list_nodes();
        break;
      case 2:
        request.mutable_explain()->set_job(static_cast<std::uint32_t>(1 + below(100)));
        break;
      case 3:
        request.mutable_describe_job()->set_job(static_cast<std::uint32_t>(1 + below(100)));
        request.mutable_describe_job()->set_tasks(true);
        request.mutable_describe_job()->set_forecast(true);
        request.mutable_describe_job()->set_wait_ns(static_cast<std::int64_t>(below(1ull << 60)));
        break;
      default:
        request.mutable_kill_job()->set_job(static_cast<std::uint32_t>(1 + below(100)));
    }
    return request;
  }
  std::vector<std::unique_ptr<test::HostilePeer>> deaf_;
};

// One worker. It takes what it is given, and fails it, drops it, or says what is not so of it and of others' attempts;
// but it does not say of bytes that it has mapped them: that is believed.
class Worker final : public Opponent {
 public:
  using Opponent::Opponent;
  void act() override {
    ++acts_;
    if (!peer_ || below(200) == 0) connect();
    if (!peer_) return std::this_thread::sleep_for(100ms);
    const auto heard = peer_->hear<wire::ToWorker>();
    if (!heard) return peer_.reset();
    for (const wire::Order& order : heard->orders().orders()) {
      if (order.has_launch()) given_.push_back(order.launch().attempt());
    }
    if (!peer_->say(lie())) peer_.reset();
    if (given_.size() > 50) given_.erase(given_.begin());
  }

 private:
  void connect() {
    peer_ = std::make_unique<test::HostilePeer>(cluster_.address());
    if (!peer_->greet(wire::WORKER, "", "worker-secret-4c")) return peer_.reset();
    wire::ToMaster message;
    message.mutable_register_()->set_incarnation("mallory");
    message.mutable_register_()->set_host("nowhere");
    message.mutable_register_()->set_slots(2);
    if (!peer_->hear<wire::HelloReply>() || !peer_->say(message)) return peer_.reset();
    ++let_in_;
  }
  wire::Attempt anybodys() {
    if (!given_.empty() && below(3) != 0) return given_[below(given_.size())];
    wire::Attempt attempt;
    attempt.set_job(static_cast<std::uint32_t>(1 + below(300)));
    attempt.set_task(static_cast<std::uint32_t>(below(8)));
    attempt.set_number(static_cast<std::uint32_t>(below(3)));
    return attempt;
  }
  wire::ToMaster lie() {
    wire::ToMaster message;
    if (below(3) != 0) {
      wire::AttemptProgress& progress = *message.mutable_heartbeat()->add_attempts();
      *progress.mutable_attempt() = anybodys();
      progress.set_offset(random_offset());
      return message;
    }
    wire::Report& report = *message.mutable_reports()->add_reports();
    report.set_sequence(below(4) == 0 ? below(1000) : ++sequence_);
    *report.mutable_attempt() = anybodys();
    switch (below(4)) {
      case 0:
        report.mutable_started();
        break;
      case 1:
        report.mutable_cut()->set_at(random_offset());
        break;
      case 2:
        report.mutable_ready();
        break;
      default:
        report.mutable_ended()->set_message("it does not work here");
    }
    return message;
  }
  std::uint64_t random_offset() { return below(1ull << (1 + below(62))); }

  std::unique_ptr<test::HostilePeer> peer_;
  std::vector<wire::Attempt> given_;
  std::uint64_t sequence_ = 0;
};

// Runs honest jobs, one after another, until the time is over.
class Campaign {
 public:
  explicit Campaign(std::uint32_t first_user) : cluster_(first_user) {}
  bool run(const std::string& who, Duration length, std::uint64_t seed) {
    fs::create_directories(cluster_.at("honest"));
    const double alone = one_job();
    answer_ = last_answer_;
    const std::unique_ptr<Opponent> opponent = make(who, seed);
    std::atomic<bool> is_over = false;
    std::thread thread([&] {
      while (!is_over) opponent->act();
    });
    const auto until = Clock::now() + length;
    double longest = 0;
    for (auto told = Clock::now(); Clock::now() < until && failures_.count() < 20;) {
      longest = std::max(longest, one_job());
      if (const std::string what = cluster_.missing(); !what.empty()) {
        failures_.add(what);
        break;
      }
      if (Clock::now() - told < 1min) continue;
      told = Clock::now();
      tell(who, *opponent, alone, longest);
    }
    is_over = true;
    thread.join();
    tell(who, *opponent, alone, longest);
    if (opponent->let_in() == 0) failures_.add("nothing that he did was let in");
    return failures_.count() == 0;
  }

 private:
  std::unique_ptr<Opponent> make(const std::string& who, std::uint64_t seed) {
    if (who == "submitter") return std::make_unique<Submitter>(cluster_, seed, failures_);
    if (who == "reader") return std::make_unique<Reader>(cluster_, seed, failures_);
    return std::make_unique<Worker>(cluster_, seed, failures_);
  }
  void tell(const std::string& who, const Opponent& opponent, double alone, double longest) {
    std::printf("%s: %llu acts, %llu let in, %d honest jobs, alone %.1f s, the longest %.1f s, %zu wrong\n", who.c_str(),
                static_cast<unsigned long long>(opponent.acts()),
                static_cast<unsigned long long>(opponent.let_in()), jobs_, alone, longest, failures_.count());
    std::fflush(stdout);
  }
  // How many seconds it took. With status 0 it has succeeded before its deadline.
  double one_job() {
    const auto begin = Clock::now();
    const std::string output = cluster_.at("honest/" + std::to_string(++jobs_));
    const test::Finished end =
        test::run(cluster_.client("alice", {"submit", "wordcount", ONTIME_TEST_TEXT, "--output", output, "--splits", "6",
                                            "--deadline", "60s", "--wait"}));
    if (end.status != 0) failures_.add("an honest job ended with " + std::to_string(end.status) + ": " + end.err);
    const test::Finished result = test::run({kOntime, "result", output});
    last_answer_ = result.out;
    if (end.status == 0 && (result.status != 0 || (!answer_.empty() && result.out != answer_))) {
      failures_.add("the answer of an honest job is wrong: " + result.err);
    }
    fs::remove_all(output);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  Cluster cluster_;
  Failures failures_;
  std::string answer_, last_answer_;
  int jobs_ = 0;
};

int main_of(int argc, char** argv) {
  std::string who = "submitter";
  Duration length = std::chrono::minutes(30);
  std::uint64_t seed = 1;
  std::uint32_t first_user = 61000;
  CLI::App app("Runs honest jobs beside somebody hostile. Exit code 1: one of them was late or wrong, or he was obeyed.");
  app.add_option("--opponent", who, "Who he is")
      ->check(flags::one_of({"submitter", "reader", "worker"}))
      ->capture_default_str();
  flags::add_duration(app, "--length", length, "How long");
  app.add_option("--seed", seed, "Of what he does")->capture_default_str();
  app.add_option("--first-user", first_user, "Jobs run as it and the next 299: others for a campaign that runs beside")
      ->capture_default_str();
  flags::parse_or_exit(app, argc, argv);
  if (who == "submitter" && ::geteuid() != 0) {
    std::fprintf(stderr, "The submitter's programs end and remove all that their user may: run it as root, so that they have "
                         "users of their own.\n");
    return 2;
  }
  return exit_code([&] { return Campaign(first_user).run(who, length, seed); });
}

}  // namespace
}  // namespace ontime::load

int main(int argc, char** argv) { return ontime::load::main_of(argc, argv); }
