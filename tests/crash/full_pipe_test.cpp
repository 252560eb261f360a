// A log that nobody takes holds up neither the master nor a worker nor their jobs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

// A pipe that is full, and of which nobody reads.
class Full {
 public:
  explicit Full(const std::string& path) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    pipe_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GE(pipe_, 0);
    while (::write(pipe_, "x", 1) == 1) {
    }
  }
  ~Full() { ::close(pipe_); }
  Full(const Full&) = delete;
  Full& operator=(const Full&) = delete;

 private:
  int pipe_ = -1;
};

class FullPipe : public PacedJobs {};

TEST_F(FullPipe, ThatNobodyReadsHoldsUpNeitherJobsNorTheEndOfThePrograms) {
  const Full pipe(cluster_ / "pipe");
  const Arguments into_the_pipe{"--log-file", cluster_ / "pipe", "--log-level", "debug"};
  cluster_.start_master(into_the_pipe);
  cluster_.add_worker(2, into_the_pipe);
  for (const char* const output : {"one", "two"}) expect_right_answer(submit_paced(output), output);
  cluster_.worker(0).signal(SIGTERM);
  EXPECT_EQ(cluster_.worker(0).wait().status, 0);
  cluster_.master().signal(SIGTERM);
  EXPECT_EQ(cluster_.master().wait().status, 0);
}

// As when what reads their standard error has ended.
TEST_F(FullPipe, WhoseReaderIsGoneEndsNoProgram) {
  cluster_.start_master();
  cluster_.add_worker(2);
  const std::string job = submit_paced("out");
  ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
  cluster_.master().signal(SIGPIPE);
  cluster_.worker(0).signal(SIGPIPE);
  expect_right_answer(job, "out");
}

}  // namespace
}  // namespace ontime::test
