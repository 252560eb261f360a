#include "tests/system/paced_jobs.h"

#include <array>
#include <random>
#include <thread>

#include "tests/support/random_seed.h"

namespace ontime::test {

void PacedJobs::kill_at_random(int kills, const std::function<void()>& before_each) {
  std::mt19937 random(random_seed());
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  std::array<int, 3> killed{};  // workers, masters, attempts
  const auto all = [&] { return killed[0] + killed[1] + killed[2]; };
  for (int round = 0; all() < kills && !HasFailure(); ++round) {
    ASSERT_LT(round, 100) << "attempts end before anything can be killed";
    const std::string output = "out-" + std::to_string(round);
    const std::string job = submit_paced(output);
    ASSERT_TRUE(eventually([&] { return has_begun(job); }));
    for (int kill = 0; kill < 5; ++kill) {
      std::this_thread::sleep_for(std::chrono::milliseconds(below(120)));
      before_each();
      const std::uint32_t what = below(3);
      if (what == 0) cluster_.replace_worker(below(static_cast<std::uint32_t>(cluster_.workers())));
      if (what == 1) cluster_.restart_master();
      const bool is_killed = what < 2 || cluster_.kill_some_attempt(below(100));
      killed[what] += is_killed ? 1 : 0;
    }
    expect_right_answer(job, output);
  }
  RecordProperty("worker_kills", killed[0]);
  RecordProperty("master_kills", killed[1]);
  RecordProperty("attempt_kills", killed[2]);
}

}  // namespace ontime::test
