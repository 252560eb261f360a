#pragma once
// The web pages of a cluster, its state as JSON, its metrics and health. Reads only, whatever is asked: the routes are
//
//   /  and the scripts and the style    the page
//   /api/nodes  /api/jobs  /api/jobs/ID  as `ontime nodes|jobs|job --json`
//   /api/jobs/ID/tasks  /logs           some of its tasks; what attempts have printed
//   /api/jobs/ID/logs.txt               the same as `ontime logs` prints it
//   /api/jobs/ID/report  /trace         the files that `ontime report|trace` write
//   /api/use                            slots in use over time by job
//   /metrics                            Prometheus' text format
//   /healthz                            200: this process is alive; answered whatever other visitors do
//   /readyz                             200: the master answers and has a live worker; otherwise 503 with a sentence
//
// A request is refused (and nothing is asked of the master) if it is no GET
// or HEAD, names another host (so that no foreign page can read this one by a name of its own), comes from the script
// of another page, or lacks the token or certificate where one is wanted. Threads: its own; stop() from any.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/web/cluster_view.h"
#include "common/base/result.h"
#include "common/http/server.h"
#include "common/net/endpoint.h"
#include "common/net/tls_identity.h"

namespace ontime::cli {

struct WebSettings {
  net::Endpoint listen{"127.0.0.1", 7480};
  bool insecure_network = false;          // may listen beyond the loopback without encryption
  std::vector<std::string> host_names{};  // beside localhost, the loopback addresses and the host of `listen`
  std::string token{};                    // wanted from visitors, as password or bearer; empty: none
  // HTTPS instead, for visitors with a certificate of the same authority, or with the token if there is one.
  std::optional<TlsFiles> https{};
};

class WebServer {
 public:
  // `view` outlives it. BadInput for an address beyond the loopback without encryption, unless that is allowed, and for
  // certificates that are none.
  static Result<std::unique_ptr<WebServer>> make(WebSettings settings, ClusterView& view);
  ~WebServer();

  // The port. Failed if it is taken.
  Result<std::uint16_t> bind();
  void run();  // until stop()
  void stop();

 private:
  struct Routes;
  WebServer(WebSettings settings, ClusterView& view, std::shared_ptr<ssl_ctx_st> tls);
  const WebSettings settings_;
  const std::unique_ptr<Routes> routes_;
  http::RequestServer server_;
  Descriptor listener_{};  // bound, until it runs
};

}  // namespace ontime::cli
