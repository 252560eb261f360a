#include "common/store/access.h"

#include "common/base/environment.h"

namespace ontime::store {

std::unique_ptr<http::Store> open(const Name& name, const std::string& scratch, const std::atomic<bool>* is_over,
                                  const http::Patience& patience) {
  return network().open(name, scratch, is_over, patience);
}

std::unique_ptr<http::RangedFile> open_file(const http::Url& url, const std::string& name,
                                            const std::atomic<bool>* is_over, const http::Patience& patience) {
  return network().open_file(url, name, is_over, patience);
}

Result<std::string> lend_address(const std::string& name) { return network().lend_address(name); }

Result<std::string> Lender::lend(const std::string& name) {
  if (!lender_) lender_ = network().make_lender(on_refused_);
  return lender_->lend(name);
}

void prepare_process() {
  for (const char* name : {"AWS_WEB_IDENTITY_TOKEN_FILE", "ONTIME_S3_INSTANCE_METADATA"}) {
    if (!environment_variable(name).empty()) network().prepare();
  }
}

}  // namespace ontime::store
