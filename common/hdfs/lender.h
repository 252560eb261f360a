#pragma once
// Files of an HDFS for attempts that must not have the delegation token. HDFS signs no addresses, and the token
// lets its bearer do everything that its user may. So an attempt gets an address of this process instead, which signs
// it: it is good for one file and for some time. What is asked for there, this process asks HDFS for.

#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/http/connection.h"

namespace ontime::hdfs {

// Whether this process has a token at all.
bool has_token();

class Lender {
 public:
  // Called with what HDFS answered to a request for the file of that name. The attempt gets only the status. Any
  // thread.
  using OnRefused = std::function<void(const std::string& name, const http::Failure& failure)>;

  // `patience`: with HDFS, for each thing that an attempt asks for. An attempt that hears nothing asks again, and what
  // it has asked before still holds a thread: by default for three tries, which are over 11 s after HDFS fell silent.
  explicit Lender(OnRefused on_refused, Duration good_for = std::chrono::minutes(15),
                  http::Patience patience = {.tries = 3});
  ~Lender();  // ends what is under way
  Lender(const Lender&) = delete;

  // "http://127.0.0.1:PORT/...": for http::RemoteFile. `name`: of parse_name. Failed, with one sentence, if this
  // process cannot listen.
  Result<std::string> lend(const std::string& name);

 private:
  class Server;
  const OnRefused on_refused_;
  const Duration good_for_;
  const http::Patience patience_;
  std::unique_ptr<Server> server_;  // since the first file was lent
};

}  // namespace ontime::hdfs
