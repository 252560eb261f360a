// Part files that are compressed: whatever becomes of attempts, other programs and Ontime read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CompressedOutput : public PacedJobs {
 protected:
  nlohmann::json manifest(const std::string& output) const {
    return nlohmann::json::parse(read_file(cluster_ / output + "/_manifest.json"));
  }
  // The sums over all segments: as stored, and before.
  std::pair<std::uint64_t, std::uint64_t> sizes(const std::string& output) const {
    std::uint64_t stored = 0, content = 0;
    const nlohmann::json all = manifest(output);
    for (const auto& task : all["tasks"]) {
      for (const auto& segment : task["segments"]) {
        stored += segment["length"].get<std::uint64_t>();
        content += segment["compressed_from"].get<std::uint64_t>();
      }
    }
    return {stored, content};
  }
  std::size_t segments(const std::string& output) const {
    std::size_t count = 0;
    const nlohmann::json all = manifest(output);
    for (const auto& task : all["tasks"]) count += task["segments"].size();
    return count;
  }
  void expect_sound(const std::string& job, const std::string& output, const std::string& ending,
                    const std::string& program) {
    SCOPED_TRACE(output);
    expect_right_answer(job, output);
    EXPECT_GT(segments(output), 6u) << "no attempt has sealed some of a task";
    const auto [stored, content] = sizes(output);
    const Finished read = shell("cat " + (cluster_ / output) + "/part-m-0000?" + ending + " | " + program + " | wc -c");
    EXPECT_EQ(read.out, std::to_string(content) + "\n") << read.err;
    EXPECT_EQ(
        shell("for part in " + (cluster_ / output) + "/part-*; do " + program + " $part || exit 1; done | wc -c").out,
        std::to_string(content) + "\n");
    EXPECT_LT(stored, content);
    const nlohmann::json described = cluster_.job(job);
    EXPECT_EQ(described["output_bytes"], stored);
    EXPECT_EQ(described["output_content_bytes"], content);
  }
  void expect_damage_is_named(const std::string& output, const std::string& ending) {
    const std::string name = "part-m-00003" + ending;
    const std::string part = cluster_ / output + "/" + name;
    std::string bytes = read_file(part);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_file(part, bytes);
    const Finished verify = ontime({"verify", cluster_ / output});
    EXPECT_EQ(verify.status, 1);
    EXPECT_THAT(verify.out, HasSubstr(name + "', bytes "));
    const Finished result = ontime({"result", cluster_ / output});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr(name + "', bytes "));
    EXPECT_THAT(result.err, HasSubstr("the output was changed after the job"));
  }
};

TEST_F(CompressedOutput, IsTheSameWhateverIsKilled) {
  cluster_.start_master();
  cluster_.add_worker(6);
  cluster_.add_worker(6);
  const std::string zstd =
      submit_paced("zstd", "6", "auto", {"--compress", "zstd:5", "--parts-suffix", ".tsv", "--set", "pause_us=4000"});
  const std::string gzip = submit_paced("gzip", "6", "auto", {"--compress", "gzip", "--set", "pause_us=4000"});
  ASSERT_TRUE(eventually([&] {
    return is_under_way(zstd) && is_under_way(gzip) && cluster_.job(zstd)["output_bytes"] > 0 &&
           cluster_.job(gzip)["output_bytes"] > 0;
  }));
  cluster_.replace_worker(0);
  cluster_.restart_master();
  cluster_.kill_some_attempt(0);
  expect_sound(zstd, "zstd", ".tsv.zst", "zstd -dcq");
  expect_sound(gzip, "gzip", ".gz", "gzip -dc");
  expect_damage_is_named("zstd", ".tsv.zst");
  expect_damage_is_named("gzip", ".gz");
}

// Lines are copied by a command, and their words counted by the next job.
TEST_F(CompressedOutput, IsTheInputOfTheNextJob) {
  cluster_.start_master();
  cluster_.add_worker(2);
  for (const std::string compress : {"zstd", "gzip"}) {
    const std::string copy =
        cluster_.submit({"exec", novel_, "--set", "command=cat", "--compress", compress, "--output",
                         cluster_ / compress, "--split-size", "100KiB", "--parts-suffix", ".txt"});
    ASSERT_EQ(cluster_.wait(copy), "succeeded") << cluster_.job(copy).dump(1);
    EXPECT_EQ(verified_answer(cluster_ / compress), read_file(novel_));
    const std::string count =
        cluster_.submit({"wordcount", cluster_ / compress, "--output", cluster_ / (compress + "-counts")});
    expect_right_answer(count, compress + "-counts");
  }
}

TEST_F(CompressedOutput, IsAskedForInWordsThatAreChecked) {
  const auto refused = [&](const Arguments& more) {
    Arguments arguments{"run", "wordcount", novel_, "--output", cluster_ / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished done = ontime(arguments);
    EXPECT_EQ(done.status, 2);
    EXPECT_FALSE(fs::exists(cluster_ / "out"));
    return done.err;
  };
  EXPECT_THAT(refused({"--compress", "lz4"}),
              HasSubstr("'lz4' is no compression of part files; choose zstd, gzip or none"));
  EXPECT_THAT(refused({"--compress", "zstd:23"}), HasSubstr("give a whole number from 1 to 19"));
  EXPECT_THAT(refused({"--parts-suffix", "/../x"}), HasSubstr("cannot be the suffix of part files"));
  EXPECT_THAT(refused({"--parts-suffix", ".gz"}), HasSubstr("add --compress"));
}

}  // namespace
}  // namespace ontime::test
