#pragma once
// The stores that this process reaches, with the keys that it has.

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/hdfs/lender.h"
#include "common/http/store.h"
#include "common/store/name.h"

namespace ontime::store {

// The store that has the name. `scratch`: a directory there ("out/tmp/") for files that are being written, if it needs
// one; else each lies where it is to be. Soon after `is_over` becomes true nobody waits for anything any more.
std::unique_ptr<http::Store> open(const Name& name, const std::string& scratch = "",
                                  const std::atomic<bool>* is_over = nullptr);

// Where a process without keys may read that for some time. Failed or BadInput, with one sentence, without keys.
Result<std::string> lend_address(const std::string& name);

// The same for attempts, which get no token of HDFS either: files of HDFS are lent by this process where it has one.
class Lender {
 public:
  explicit Lender(hdfs::Lender::OnRefused on_refused) : files_(std::move(on_refused)) {}

  Result<std::string> lend(const std::string& name);

 private:
  hdfs::Lender files_;
};

// Makes now what takes time, so that nothing waits later.
void prepare_process();

}  // namespace ontime::store
