#pragma once
// The stores that this process reaches, with the keys that it has.

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/http/ranged_file.h"
#include "common/http/store.h"
#include "common/http/url.h"
#include "common/store/name.h"
#include "common/store/network.h"

namespace ontime::store {

// The store that has the name. `scratch`: a directory there ("out/tmp/") for files that are being written, if it needs
// one; else each lies where it is to be. Soon after `is_over` becomes true nobody waits for anything any more.
std::unique_ptr<http::Store> open(const Name& name, const std::string& scratch = "",
                                  const std::atomic<bool>* is_over = nullptr, const http::Patience& patience = {});

// A file of a web server, or at an address that was lent for the name of a file in a store. `is_over`: as above.
std::unique_ptr<http::RangedFile> open_file(const http::Url& url, const std::string& name = "",
                                            const std::atomic<bool>* is_over = nullptr,
                                            const http::Patience& patience = {});

// Where a process without keys may read that for some time. Failed or BadInput, with one sentence, without keys.
Result<std::string> lend_address(const std::string& name);

// The same for attempts, which get no token of HDFS either: files of HDFS are lent by this process where it has one.
// Not for several threads at a time.
class Lender {
 public:
  explicit Lender(FileLender::OnRefused on_refused) : on_refused_(std::move(on_refused)) {}

  Result<std::string> lend(const std::string& name);

 private:
  const FileLender::OnRefused on_refused_;
  std::unique_ptr<FileLender> lender_;  // since the first file was lent
};

// If a server gives the keys, asks it for them now, so that nothing waits later.
void prepare_process();

}  // namespace ontime::store
