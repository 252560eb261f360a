// The same job on a local file and on the same file of each kind of server that jobs read from, in turns; medians of
// the ratios. The servers are those of the tests, on the loopback. What the machine allows is measured in the same
// rounds: the time until both the job on the local file and curl, which only reads from the server, have ended that
// were started together. A job that reads from the server has to do the work of both.
//
// HDFS reads blocks that its machine has as files (dfs.client.read.shortcircuit), and has run for a while: Java compiles
// what runs often.
//
//   bench_stores BIN_DIR TEXT [ROUNDS]        TEXT: from generate_text, a gigabyte or more
//
// Prints, and judges nothing: run it on a quiet machine. One worker with one slot; the server needs a core of its own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/benchmarks/whole_jobs.h"
#include "tests/support/mini_hdfs.h"
#include "tests/support/object_store.h"

namespace ontime::test {
namespace {

class Bench {
 public:
  Bench(std::string bin, std::string text) : bin_(std::move(bin)), text_(std::filesystem::absolute(text)) {
    serve_by_nginx();
    if (ObjectStore::is_there()) serve_by_store();
    if (MiniHdfs::is_there()) serve_by_hdfs();
  }

  void run(int rounds) {
    static_cast<void>(job(text_));  // into the page cache
    for (Place& place : places_) {
      for (int i = 0; i < place.warm_ups; ++i) static_cast<void>(job(place.url));
    }
    std::vector<double> locals;
    for (int i = 0; i < rounds; ++i) {
      const double local = job(text_);
      locals.push_back(local);
      for (Place& place : places_) {
        const double wall = job(place.url);
        place.walls.push_back(wall);
        place.ratios.push_back(local / wall);
        place.bounds.push_back(local / job_beside(place.curl));
      }
    }
    const double mib = static_cast<double>(std::filesystem::file_size(text_)) / (1 << 20);
    std::printf("%-12s %7.3f s, %6.0f MiB/s\n", "local file", median(locals), mib / median(locals));
    for (const Place& place : places_)
      std::printf("%-12s %7.3f s, %6.0f MiB/s, %.2f of the local file's; %.2f where curl reads beside that job\n",
                  place.name.c_str(), median(place.walls), mib / median(place.walls), median(place.ratios),
                  median(place.bounds));
  }

 private:
  struct Place {
    std::string name;
    std::string url;
    Arguments curl;  // what else it needs to read that
    int warm_ups = 1;
    std::vector<double> walls{};
    std::vector<double> ratios{};
    std::vector<double> bounds{};
  };

  double job(const std::string& input) {
    const std::string output = directory_ / "out";
    const double wall =
        wall_of({bin_ + "/ontime", "run", "wordcount", input, "--workers", "1", "--output", output, "--quiet"});
    std::filesystem::remove_all(output);
    return wall;
  }

  // Both, until the last of them has ended.
  double job_beside(const Arguments& curl) {
    Arguments command{"curl", "--silent", "--show-error", "--fail", "--location", "--output", "/dev/null"};
    command.insert(command.end(), curl.begin(), curl.end());
    double reading = 0;
    std::thread reader([&] { reading = wall_of(command); });
    const double counting = job(text_);
    reader.join();
    return std::max(counting, reading);
  }

  void serve_by_nginx() {
    const std::string port = free_port();
    const std::filesystem::path file = text_;
    write_file(directory_ / "nginx.conf", "daemon off; master_process off; pid " + directory_ / "pid" + "; error_log " +
                                              directory_ / "error.log" +
                                              ";\nevents {}\nhttp { access_log off; sendfile "
                                              "on;\n server { listen 127.0.0.1:" +
                                              port + "; root " + file.parent_path().string() + "; } }\n");
    nginx_ = Process({"/usr/sbin/nginx", "-c", directory_ / "nginx.conf"}, directory_ / "nginx");
    const std::string url = "http://127.0.0.1:" + port + "/" + file.filename().string();
    if (eventually([&] { return answers(port) || !nginx_.is_running(); }) && nginx_.is_running())
      places_.push_back({"nginx", url, {url}});
  }

  void serve_by_store() {
    store_ = std::make_unique<ObjectStore>("bench");
    for (const auto& [name, value] : store_->environment()) ::setenv(name.c_str(), value.c_str(), 1);
    std::filesystem::copy_file(text_, store_->path("text"));
    const std::string user = std::string(::getenv("AWS_ACCESS_KEY_ID")) + ":" + ::getenv("AWS_SECRET_ACCESS_KEY");
    places_.push_back({"versitygw",
                       store_->url("text"),
                       {"--aws-sigv4", "aws:amz:us-east-1:s3", "--user", user, "--header",
                        "x-amz-content-sha256: UNSIGNED-PAYLOAD", store_->endpoint() + "/bench/text"}});
  }

  void serve_by_hdfs() {
    hdfs_ = std::make_unique<MiniHdfs>(
        Arguments{"-Xmx2g", "-Ddfs.blocksize=134217728", "-Ddfs.client.read.shortcircuit=true",
                  "-Ddfs.client.use.legacy.blockreader.local=true", "-Ddfs.block.local-path-access.user=ontime"});
    for (const auto& [name, value] : hdfs_->environment()) ::setenv(name.c_str(), value.c_str(), 1);
    hdfs_->put("/text", read_file(text_));
    places_.push_back({"HDFS", hdfs_->url("/text"), {hdfs_->server() + "/webhdfs/v1/text?op=OPEN"}, 20});
  }

  const std::string bin_;
  const std::string text_;
  TemporaryDirectory directory_;
  std::vector<Place> places_;
  Process nginx_;
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<MiniHdfs> hdfs_;
};

}  // namespace
}  // namespace ontime::test

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: bench_stores BIN_DIR TEXT [ROUNDS]\n");
    return 2;
  }
  ontime::test::Bench(argv[1], argv[2]).run(argc == 4 ? std::atoi(argv[3]) : 11);
  return 0;
}
