#include "cli/commands/serve.h"

#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/client/follow.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/web/web_server.h"
#include "common/files/file_system.h"
#include "common/net/token.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kWebPort = 7480;

Result<WebSettings> web_settings(const WebCommand& command) {
  auto listen = net::parse_endpoint(command.listen, kWebPort);
  if (!listen) return listen.error();
  WebSettings settings;
  settings.listen = *listen;
  settings.insecure_network = command.insecure_network;
  settings.host_names = command.host_names;
  if (!command.https.empty()) {
    settings.https = TlsFiles{command.https + "/ca.pem", command.https + "/cert.pem", command.https + "/key.pem"};
  }
  if (command.visitor_token_file.empty()) return settings;
  auto token = net::read_own_token(command.visitor_token_file);
  if (!token) return token.error();
  settings.token = *token;
  return settings;
}

}  // namespace

Result<ExitCode> serve(const WebCommand& command) {
  auto settings = web_settings(command);
  if (!settings) return settings.error();
  auto master = client_options(command.master);
  if (!master) return master.error();
  install_interrupt_handlers();
  master->patience = 2s;  // who looks at a page would rather be told that nobody answers
  master->watch = [] { return check_interrupts(); };
  ClusterView view(std::move(*master));
  const auto server = WebServer::make(*settings, view);
  if (!server) return server.error();
  const auto port = (*server)->bind();
  if (!port) return port.error();
  if (!command.port_file.empty()) {
    if (auto written = files::write_file(command.port_file, std::to_string(*port) + "\n"); !written)
      return written.error();
  }
  std::printf("%s://%s/\n", settings->https ? "https" : "http", net::to_string({settings->listen.host, *port}).c_str());
  std::fflush(stdout);
  std::thread serving([&] { (*server)->run(); });
  while (interrupts() == 0) std::this_thread::sleep_for(50ms);
  (*server)->stop();
  serving.join();
  return ExitCode::Done;
}

}  // namespace ontime::cli
