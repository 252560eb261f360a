#include "common/store/network.h"

#include <utility>

#include "common/hdfs/file_system.h"
#include "common/hdfs/lender.h"
#include "common/hdfs/name.h"
#include "common/http/remote_file.h"
#include "common/s3/access.h"
#include "common/s3/bucket.h"
#include "common/s3/name.h"

namespace ontime::store {
namespace {

class LinkedLender final : public FileLender {
 public:
  explicit LinkedLender(OnRefused on_refused) : files_(std::move(on_refused)) {}
  Result<std::string> lend(const std::string& name) override {
    auto address = network().lend_address(name);
    return address && hdfs::is_name(name) && hdfs::has_token() ? files_.lend(name) : std::move(address);
  }

 private:
  hdfs::Lender files_;
};

class LinkedNetwork final : public Network {
 public:
  std::unique_ptr<http::Store> open(const Name& name, const std::string& scratch, const std::atomic<bool>* is_over,
                                    const http::Patience& patience) override {
    if (hdfs::is_name(name.root)) return std::make_unique<hdfs::FileSystem>(name.root, scratch, is_over, patience);
    return std::make_unique<s3::Bucket>(s3::Access::of_process(), name.root, is_over, patience);
  }

  std::unique_ptr<http::RangedFile> open_file(const http::Url& url, const std::string& name,
                                              const std::atomic<bool>* is_over,
                                              const http::Patience& patience) override {
    if (hdfs::is_name(name) && url.path.starts_with("/webhdfs/"))
      return std::make_unique<hdfs::RemoteFile>(url, is_over, patience);
    const bool is_in_store = !name.empty() && !http::is_url(name);
    return std::make_unique<http::RemoteFile>(
        url, is_over, patience,
        is_in_store ? http::RemoteFile::Redirects::Refused : http::RemoteFile::Redirects::Followed);
  }

  Result<std::string> lend_address(const std::string& name) override {
    const auto url = address_of(name);
    return url ? Result<std::string>(url->origin + url->target) : url.error();
  }

  std::unique_ptr<FileLender> make_lender(FileLender::OnRefused on_refused) override {
    return std::make_unique<LinkedLender>(std::move(on_refused));
  }

  std::unique_ptr<http::Poster> make_poster(http::PosterOptions options) override {
    return http::make_poster(std::move(options));
  }

  http::Answer<std::string> ask(const http::Question& question) override { return http::ask(question); }

  void prepare() override { s3::Access::of_process(); }

 private:
  static Result<http::Url> address_of(const std::string& name) {
    if (hdfs::is_name(name)) {
      const auto file = hdfs::parse_name(name);
      return file ? hdfs::address_of(*file) : file.error();
    }
    const auto object = s3::parse_name(name);
    if (!object) return object.error();
    s3::Access::of_process().find_region(object->root);
    return s3::Access::of_process().address({"GET", *object});
  }
};

}  // namespace

Status load_network() { return {}; }

Network& network() {
  static LinkedNetwork linked;
  return linked;
}

}  // namespace ontime::store
