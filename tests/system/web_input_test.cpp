// Inputs that a web server has: nginx, healthy and not.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/free_port.h"
#include "tests/system/cluster.h"
#include "tests/system/found_begins.h"

namespace ontime::test {
namespace {

class WebInput : public testing::Test {
 protected:
  // Serves the directory `www` with these directives.
  void serve(const std::string& directives = "") {
    port_ = free_port();
    std::filesystem::create_directories(directory_ / "www");
    write_file(directory_ / "nginx.conf", "daemon off; master_process off; pid " + directory_ / "pid" + "; error_log " +
                                              directory_ / "error.log" + ";\nevents {}\nhttp { access_log " +
                                              directory_ / "access.log" + ";\n server { listen 127.0.0.1:" + port_ +
                                              "; root " + directory_ / "www" + "; " + directives + " } }\n");
    nginx_ = Process({"/usr/sbin/nginx", "-c", directory_ / "nginx.conf"}, directory_ / "nginx");
    EXPECT_TRUE(eventually([&] { return answers(port_); })) << nginx_.output().err;
  }

  std::string url(const std::string& name) const { return "http://127.0.0.1:" + port_ + "/" + name; }
  void copy_novel(const std::string& name) {
    std::filesystem::create_directories(directory_ / "www");
    std::filesystem::copy_file(kNovel, directory_ / ("www/" + name));
  }
  Finished wordcount(const std::string& input) {
    return ontime({"run", "wordcount", input, "--output", directory_ / "out", "--quiet", "--splits", "5"});
  }

  TemporaryDirectory directory_;
  std::string port_;
  Process nginx_;
};

TEST_F(WebInput, IsCountedAsALocalFileIs) {
  copy_novel("novel.txt");
  serve();
  const Finished run = wordcount(url("novel.txt"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(directory_ / "out"), counted_by_coreutils(kNovel));
}

TEST_F(WebInput, ThatIsCompressedIsDecompressed) {
  serve();
  ASSERT_EQ(shell("gzip -c " + kNovel + " > " + directory_ / "www/novel.txt.gz").status, 0);
  const Finished run = wordcount(url("novel.txt.gz"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(directory_ / "out"), counted_by_coreutils(kNovel));
}

TEST_F(WebInput, OfAServerThatIgnoresRangesIsOneSplit) {
  copy_novel("novel.txt");
  ASSERT_EQ(shell("gzip -c " + kNovel + " > " + directory_ / "www/novel").status, 0);
  serve("max_ranges 0;");
  const Finished run =
      ontime({"run", "wordcount", url("novel.txt"), url("novel"), "--output", directory_ / "out", "--splits", "5"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("2 tasks"), std::string::npos) << run.out;
  EXPECT_EQ(verified_answer(directory_ / "out"), counted_by_coreutils(kNovel + " " + kNovel));
}

TEST_F(WebInput, SmallFilesShareATask) {
  std::filesystem::create_directories(directory_ / "www");
  serve();
  Arguments arguments{"run", "wordcount", "--output", directory_ / "out", "--splits", "2"};
  for (int i = 0; i < 20; ++i) {
    write_file(directory_ / ("www/" + std::to_string(i)), "words of\nfile " + std::to_string(i));
    arguments.push_back(url(std::to_string(i)));
  }
  const Finished run = ontime(arguments);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("2 tasks"), std::string::npos) << run.out;
  EXPECT_NE(verified_answer(directory_ / "out").find("file\t20\n"), std::string::npos);
}

// An attempt that goes on where another ended fetches what lies before once more.
TEST_F(WebInput, OfAServerThatIgnoresRangesIsResumed) {
  copy_novel("novel.txt");
  serve("max_ranges 0;");
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker(1, {"--app-dir", kApps});
  const std::string job = cluster.submit({"paced", url("novel.txt"), "--output", cluster / "out", "--checkpoint",
                                          "50ms", "--set", "lines=5", "--max-attempts", "100"});
  ASSERT_TRUE(eventually([&] {
    const nlohmann::json shown = cluster.job(job);
    return shown.contains("account") && shown["account"]["bytes"]["useful"] > 0 && cluster.kill_some_attempt(0);
  }));
  EXPECT_EQ(cluster.wait(job), "succeeded") << cluster.job(job).dump(1);
  EXPECT_EQ(verified_answer(cluster / "out"), counted_by_coreutils(kNovel));
}

TEST_F(WebInput, ThatIsNotThereIsRefusedWithASentence) {
  serve();
  const Finished missing = wordcount(url("no-such-file.txt"));
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("404"), std::string::npos) << missing.err;
  const Finished nobody = wordcount("http://127.0.0.1:" + free_port() + "/x");
  EXPECT_EQ(nobody.status, 2);
  EXPECT_NE(nobody.err.find("reached"), std::string::npos) << nobody.err;
}

// What a server says of a file is a reason to leave it out, at submission and where the file is mapped.
TEST_F(WebInput, ThatIsGoneOrForbiddenIsLeftOutIfTheJobSaysSo) {
  for (const char* name : {"kept.txt", "gone.txt", "closed.txt"}) copy_novel(name);
  serve(
      "location = /never.txt { return 410; } location = /secret.txt { return 403; }"
      "location = /closed.txt { if (-f $document_root/closed) { return 403; } }");
  Cluster cluster;
  cluster.start_master();
  Arguments arguments{"wordcount", "--output", cluster / "out", "--skip"};
  for (const char* name : {"kept", "gone", "closed", "missing", "never", "secret"})
    arguments.insert(arguments.begin() + 1, url(name + std::string(".txt")));
  const auto refusal = [&](const std::string& skip) {
    Arguments refused = arguments;
    refused.insert(refused.begin(), "submit");
    refused.push_back(skip);
    const Finished finished = cluster.client(refused);
    EXPECT_EQ(finished.status, 2) << finished.out;
    return finished.err;
  };
  EXPECT_NE(refusal("vanished").find("secret.txt' cannot be read"), std::string::npos);
  EXPECT_NE(refusal("unreadable").find("never.txt' cannot be read"), std::string::npos);
  arguments.push_back("vanished,unreadable");
  const std::string job = cluster.submit(arguments);
  std::filesystem::remove(directory_ / "www/gone.txt");
  write_file(directory_ / "www/closed", "");
  cluster.add_worker();
  EXPECT_EQ(cluster.wait(job), "succeeded") << cluster.job(job).dump(1);
  EXPECT_EQ(verified_answer(cluster / "out"), counted_by_coreutils(kNovel));
  const nlohmann::json left_out = nlohmann::json::parse(read_file(cluster / "out/_manifest.json")).at("left_out");
  EXPECT_EQ(left_out.size(), 5u) << left_out.dump(1);
  const auto why = [&](const std::string& name) { return left_out.dump().find(name) != std::string::npos; };
  for (const char* name : {"gone.txt", "closed.txt", "missing.txt", "never.txt", "secret.txt"})
    EXPECT_TRUE(why(name)) << name;
}

TEST_F(WebInput, WhoseRecordsAreToldFromTheBeginIsDividedByTheNextJob) {
  serve();
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker(2);
  expect_next_jobs_divided(cluster, [&](const std::string& name, const std::string& content) {
    write_file(directory_ / ("www/" + name), content);
    return url(name);
  });
}

// Offsets in it could not be counted: its first attempt behind them would cost one worker after another its connection.
TEST_F(WebInput, ThatClaimsToBeTooLongIsRefusedWithASentence) {
  serve(R"(location / {
    add_header Content-Range "bytes 0-0/13835058055282163712" always;
    add_header ETag '"v"' always;
    return 206 "0123456789";
  })");
  const Finished run = wordcount(url("huge.txt"));
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("said to hold 13835058055282163712 bytes"), std::string::npos) << run.err;
}

// What comes by every fifth connection is answered 503; who asks again makes a new connection.
TEST_F(WebInput, OfAServerInTroubleIsAskedForAgain) {
  copy_novel("novel.txt");
  serve("if ($connection ~ \"[05]$\") { return 503; }");
  const Finished run = wordcount(url("novel.txt"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(directory_ / "out"), counted_by_coreutils(kNovel));
  EXPECT_EQ(shell("grep -q ' 503 ' " + directory_ / "access.log").status, 0);
}

// One connection in ten gets a kilobyte a second. By the clock, requests that are repeated at fixed intervals could
// meet the same end of its milliseconds each time.
TEST_F(WebInput, ThatCrawlsIsAskedForAgain) {
  copy_novel("novel.txt");
  serve("if ($connection ~ \"3$\") { set $limit_rate 1k; }");
  const Finished run = wordcount(url("novel.txt"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(directory_ / "out"), counted_by_coreutils(kNovel));
}

// A proxy in front of the server gives up after 60 KB of each answer, and closes the connection.
TEST_F(WebInput, ThatIsCutInTheMiddleOfAnAnswerIsReadOn) {
  copy_novel("novel.txt");
  const std::string behind = free_port();
  serve("location / { proxy_pass http://127.0.0.1:" + behind +
        "; proxy_read_timeout 300ms; proxy_buffering off; } }\n server { listen 127.0.0.1:" + behind + "; root " +
        directory_ / "www" + "; limit_rate_after 60k; limit_rate 1;");
  const Finished run = wordcount(url("novel.txt"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(directory_ / "out"), counted_by_coreutils(kNovel));
  EXPECT_EQ(shell("grep -q 'upstream timed out' " + directory_ / "error.log").status, 0);
}

TEST_F(WebInput, ThatIsReplacedUnderWayFailsTheJob) {
  copy_novel("novel.txt");
  serve();
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker(1, {"--app-dir", kApps});
  const std::string job = cluster.submit({"paced", url("novel.txt"), "--output", cluster / "out", "--splits", "4",
                                          "--set", "lines=1", "--set", "pause_us=1000"});
  ASSERT_TRUE(eventually([&] { return !cluster.runners().empty(); }));
  ASSERT_EQ(
      shell("echo another > " + directory_ / "www/new && mv " + directory_ / "www/new " + directory_ / "www/novel.txt")
          .status,
      0);
  EXPECT_EQ(cluster.wait(job), "failed");
  const Finished shown = cluster.client({"job", job});
  EXPECT_NE(shown.out.find("changed after the job was submitted"), std::string::npos) << shown.out;
}

// With roots that are directories nothing is asked of any server.
TEST_F(WebInput, IsReadOnlyBelowTheRoots) {
  copy_novel("novel.txt");
  serve();
  Cluster cluster;
  cluster.start_master({"--input-root", directory_ / "www"});
  const Finished refused = cluster.client({"submit", "wordcount", url("novel.txt"), "--output", cluster / "out"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--input-root"), std::string::npos) << refused.err;
  EXPECT_NE(shell("grep -q novel " + directory_ / "access.log").status, 0);
}

}  // namespace
}  // namespace ontime::test
