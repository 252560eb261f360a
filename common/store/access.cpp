#include "common/store/access.h"

#include <utility>

#include "common/hdfs/file_system.h"
#include "common/s3/access.h"
#include "common/s3/bucket.h"

namespace ontime::store {

std::unique_ptr<http::Store> open(const Name& name, const std::string& scratch, const std::atomic<bool>* is_over) {
  if (hdfs::is_name(name.root)) return std::make_unique<hdfs::FileSystem>(name.root, scratch, is_over);
  return std::make_unique<s3::Bucket>(s3::Access::of_process(), name.root, is_over);
}

Result<std::string> lend_address(const std::string& name) {
  const auto address = [&]() -> Result<http::Url> {
    if (hdfs::is_name(name)) {
      const auto file = hdfs::parse_name(name);
      return file ? hdfs::address_of(*file) : file.error();
    }
    const auto object = s3::parse_name(name);
    return object ? s3::Access::of_process().address({"GET", *object}) : object.error();
  };
  const auto url = address();
  return url ? Result<std::string>(url->origin + url->target) : url.error();
}

Result<std::string> Lender::lend(const std::string& name) {
  auto address = lend_address(name);
  return address && hdfs::is_name(name) && hdfs::has_token() ? files_.lend(name) : std::move(address);
}

void prepare_process() { s3::Access::prepare_process(); }

}  // namespace ontime::store
