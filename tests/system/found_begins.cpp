#include "tests/system/found_begins.h"

#include <gtest/gtest.h>

#include <random>
#include <string_view>

namespace ontime::test {
namespace {

constexpr int kRecords = 5000;

// That looks like the end of a document and the begin of the next one, and hardly compresses.
std::string misleading_text(std::mt19937& random) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string text = "],[{";
  while (text.size() < 800) text += letters[random() % letters.size()];
  return text;
}

std::string json_array() {
  std::mt19937 random(1);
  std::string text = "[";
  for (int i = 0; i < kRecords; ++i)
    text += (i > 0 ? ", {\"n\": " : "{\"n\": ") + std::to_string(i) + ", \"t\": \"" + misleading_text(random) + "\"}";
  return text + "]";
}

std::string warc() {
  std::mt19937 random(1);
  std::string text;
  for (int i = 0; i < kRecords; ++i)
    text += "WARC/1.0\r\nContent-Length: 800\r\n\r\n" + misleading_text(random) + "\r\n\r\n";
  return text;
}

std::string gzipped(const std::string& text) {
  const TemporaryDirectory directory;
  write_file(directory / "text", text);
  EXPECT_EQ(shell("gzip -1 " + directory / "text").status, 0);
  return read_file(directory / "text.gz");
}

}  // namespace

void expect_next_jobs_divided(
    Cluster& cluster, const std::function<std::string(const std::string& name, const std::string& content)>& put) {
  struct File {
    std::string name, records, content;
  };
  for (const File& file :
       {File{"a.json", "json:array", json_array()}, File{"a.warc", "warc", warc()},
        File{"b.json.gz", "json:array", gzipped(json_array())}, File{"b.warc.gz", "warc", gzipped(warc())}}) {
    const std::string url = put(file.name, file.content);
    for (const bool is_first : {true, false}) {
      const std::string out = cluster / (file.name + (is_first ? "1" : "2"));
      const std::string job =
          cluster.submit({"exec", url, "--records", file.records, "--output", out, "--split-size", "1MiB", "--set",
                          "framing=nul", "--set", "command=tr -dc '\\0' | wc -c", "--policy", "none"});
      EXPECT_EQ(cluster.wait(job), "succeeded") << cluster.job(job).dump(1);
      EXPECT_EQ(shell("cat " + out + "/part-* | awk '{s += $1} END {print s}'").out, std::to_string(kRecords) + "\n");
      EXPECT_EQ(cluster.job(job).at("tasks"), is_first ? 1 : 4) << file.name;
    }
  }
}

}  // namespace ontime::test
