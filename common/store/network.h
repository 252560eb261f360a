#pragma once
// Access to stores and web servers. Its libraries take 7 ms to load (4 of them for libcurl and the 24 shared objects
// that it brings) beside the 2 ms that all the rest of a program takes, and few jobs need them. So the programs that
// start for each job have it in lib/ontime/libontime_network.so. `ontime` loads that on first use, the others at their
// start unless they have --local-only. Other programs and the tests are linked with it.

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/http/ask.h"
#include "common/http/poster.h"
#include "common/http/ranged_file.h"
#include "common/http/store.h"
#include "common/http/url.h"
#include "common/store/name.h"

namespace ontime::store {

// Lends files to attempts (access.h). Threads: any.
class FileLender {
 public:
  // Called with what HDFS answered to a request for the file of that name. The attempt gets only the status. Any
  // thread.
  using OnRefused = std::function<void(const std::string& name, const http::Failure& failure)>;

  virtual ~FileLender() = default;
  virtual Result<std::string> lend(const std::string& name) = 0;
};

// Threads: any. What it makes is deleted before the process ends.
class Network {
 public:
  virtual ~Network() = default;
  // As store::open() and the other functions of access.h.
  virtual std::unique_ptr<http::Store> open(const Name& name, const std::string& scratch,
                                            const std::atomic<bool>* is_over, const http::Patience& patience) = 0;
  virtual std::unique_ptr<http::RangedFile> open_file(const http::Url& url, const std::string& name,
                                                      const std::atomic<bool>* is_over,
                                                      const http::Patience& patience) = 0;
  virtual Result<std::string> lend_address(const std::string& name) = 0;
  virtual std::unique_ptr<FileLender> make_lender(FileLender::OnRefused on_refused) = 0;
  // As http::make_poster().
  virtual std::unique_ptr<http::Poster> make_poster(http::PosterOptions options) = 0;
  // As http::ask().
  virtual http::Answer<std::string> ask(const http::Question& question) = 0;
  virtual void prepare() = 0;
};

// Now, for who must not find out later that the library is missing or that another version has taken its place, or that
// an attempt has no right or no memory to load it. Failed, with one sentence.
Status load_network();

// Where it has to be loaded and cannot be, the process ends with that sentence.
Network& network();

}  // namespace ontime::store
