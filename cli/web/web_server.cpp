#include "cli/web/web_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/ip/address.hpp>
#include <semaphore>
#include <utility>

#include "cli/show/job_json.h"
#include "cli/web/assets.h"
#include "cli/web/cluster_view.h"
#include "cli/show/listing.h"
#include "cli/web/visitor.h"
#include "cli/web/visitor_server.h"

namespace ontime::cli {
namespace {

constexpr std::ptrdiff_t kAskersMax = VisitorServer::kThreads / 2;
constexpr std::size_t kBodyMax = 1024;  // nobody has reason to send one
constexpr const char* kJson = "application/json";
constexpr const char* kText = "text/plain; charset=utf-8";

const httplib::Headers kHeaders{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

void say(const httplib::Request& request, httplib::Response& response, int status, const std::string& sentence) {
  response.status = status;
  set_body(request, response, sentence + "\n", kText);
}

struct Release {
  void operator()(std::counting_semaphore<>* taken) const { taken->release(); }
};

int status_of(const Error& error) { return error.kind == ErrorKind::BadInput ? 404 : 503; }

Parameters parameters_of(const httplib::Request& request) {
  return [&request](const char* name) -> std::optional<std::string> {
    if (!request.has_param(name)) return std::nullopt;
    return request.get_param_value(name);
  };
}

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  std::error_code error;
  const auto address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

}  // namespace

struct WebServer::Routes {
  Routes(const WebSettings& wanted, ClusterView& view, std::unique_ptr<VisitorServer> made);
  void set_limits();
  void add_routes();
  void add_questions_of_jobs();
  // What asks the master, for a bounded number of visitors at a time: there are threads left for the others.
  template <class Show>
  void add_question(const char* path, Show show);

  httplib::Server::HandlerResponse admit(const httplib::Request& request, httplib::Response& response) const;
  // Without parameters everything.
  template <class Show>
  void show_list(const httplib::Request& request, httplib::Response& response, Listed listed, Show show) const;
  template <class Ask, class Show>
  void show_of_job(const httplib::Request& request, httplib::Response& response, Ask ask, Show show) const;
  void show_readiness(const httplib::Request& request, httplib::Response& response) const;
  void show_metrics(const httplib::Request& request, httplib::Response& response) const;

  const WebSettings& settings;
  ClusterView& cluster;
  const std::unique_ptr<VisitorServer> server;
  std::counting_semaphore<> askers{kAskersMax};
  int listener = -1;  // the server's; known once it is bound
};

WebServer::Routes::Routes(const WebSettings& wanted, ClusterView& view, std::unique_ptr<VisitorServer> made)
    : settings(wanted), cluster(view), server(std::move(made)) {
  set_limits();
  add_routes();
}

void WebServer::Routes::set_limits() {
  server->set_socket_options([this](int socket) {
    const int yes = 1;  // httplib itself would share the port with any other program of the user
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    listener = socket;
  });
  server->set_payload_max_length(kBodyMax);
  server->set_default_headers(kHeaders);
  server->set_pre_routing_handler([this](const auto& request, auto& response) { return admit(request, response); });
  server->set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (response.content_length_ != 0) return;
    say(request, response, response.status,
        response.status == 404 ? "There is nothing here." : "This request cannot be answered.");
  });
}

void WebServer::Routes::add_routes() {
  const auto asset = [this](const char* path, const char* type, std::string_view text) {
    server->Get(path,
                [type, text](const auto& request, auto& response) {
                  set_body(request, response, std::string(text), type);
                });
  };
  asset("/", "text/html; charset=utf-8", assets::kPageHtml);
  for (const assets::Script& script : assets::kScripts)
    asset(("/" + std::string(script.file)).c_str(), "text/javascript; charset=utf-8", script.text);
  asset("/page.css", "text/css; charset=utf-8", assets::kPageCss);
  add_question("/api/nodes", [this](const auto& request, auto& response) {
    show_list(request, response, Listed::Nodes, [](const ClusterView::Picture& picture, const ListQuery* query) {
      return query == nullptr ? nodes_json(picture.nodes) : listed_nodes_json(picture.nodes, *query);
    });
  });
  add_question("/api/jobs", [this](const auto& request, auto& response) {
    show_list(request, response, Listed::Jobs, [](const ClusterView::Picture& picture, const ListQuery* query) {
      return query == nullptr ? jobs_json(picture.jobs) : listed_jobs_json(picture.jobs, *query);
    });
  });
  add_question("/api/use", [this](const auto& request, auto& response) {
    const auto jobs = cluster.use();
    if (!jobs) return say(request, response, status_of(jobs.error()), jobs.error().message);
    set_body(request, response, use_json(*jobs), kJson);
  });
  add_questions_of_jobs();
  add_question("/metrics", [this](const auto& request, auto& response) { show_metrics(request, response); });
  add_question("/readyz", [this](const auto& request, auto& response) { show_readiness(request, response); });
  server->Get("/healthz", [](const auto& request, auto& response) { say(request, response, 200, "alive"); });
}

void WebServer::Routes::add_questions_of_jobs() {
  add_question(R"(/api/jobs/([a-z0-9-]{1,20}))", [this](const auto& request, auto& response) {
    show_of_job(
        request, response, [this](JobId id) { return cluster.job(id); },
        [](const auto& json) { return *json; });
  });
  add_question(R"(/api/jobs/([a-z0-9-]{1,20})/tasks)", [this](const auto& request, auto& response) {
    const auto query = read_task_query(parameters_of(request));
    if (!query) return say(request, response, 400, query.error().message);
    show_of_job(
        request, response, [&](JobId id) { return cluster.tasks(id, *query); }, listed_tasks_json);
  });
  add_question(R"(/api/jobs/([a-z0-9-]{1,20})/logs)", [this](const auto& request, auto& response) {
    const auto wanted = read_log_query(parameters_of(request));
    if (!wanted) return say(request, response, 400, wanted.error().message);
    const auto ask = [&](JobId id) {
      wire::Request::ReadLogs logs = *wanted;
      logs.set_job(id.value);
      return cluster.logs(logs);
    };
    show_of_job(request, response, ask, logs_json);
  });
}

template <class Show>
void WebServer::Routes::add_question(const char* path, Show show) {
  server->Get(path, [this, show](const httplib::Request& request, httplib::Response& response) {
    if (!askers.try_acquire()) return say(request, response, 503, "Too many ask at once; try again in a second.");
    const std::unique_ptr<std::counting_semaphore<>, Release> asker(&askers);
    show(request, response);
  });
}

httplib::Server::HandlerResponse WebServer::Routes::admit(const httplib::Request& request,
                                                          httplib::Response& response) const {
  const std::string host = request.get_header_value("Host");
  if (request.method != "GET" && request.method != "HEAD") {
    response.set_header("Allow", "GET, HEAD");
    say(request, response, 405, "Nothing can be changed here.");
  } else if (!is_known_host(host, settings.host_names)) {
    say(request, response, 421, "This server does not go by that name; 'ontime web --host NAME' gives it another one.");
  } else if (!is_same_origin(request.get_header_value("Origin"), host)) {
    say(request, response, 403, "Scripts of other pages may not read this one.");
  } else if (!settings.token.empty() && request.path != "/healthz" && !shows_certificate(request) &&
             !shows_token(request.get_header_value("Authorization"), settings.token)) {
    response.set_header("WWW-Authenticate", "Basic realm=\"ontime\", charset=\"UTF-8\"");
    say(request, response, 401, "A token is wanted here: as password with any user name, or as bearer.");
  } else {
    return httplib::Server::HandlerResponse::Unhandled;
  }
  return httplib::Server::HandlerResponse::Handled;
}

template <class Show>
void WebServer::Routes::show_list(const httplib::Request& request, httplib::Response& response, Listed listed,
                                  Show show) const {
  const auto query = read_list_query(parameters_of(request), listed);
  if (!query) return say(request, response, 400, query.error().message);
  const auto picture = cluster.picture();
  if (!picture) return say(request, response, 503, picture.error().message);
  set_body(request, response, show(**picture, request.params.empty() ? nullptr : &*query), kJson);
}

template <class Ask, class Show>
void WebServer::Routes::show_of_job(const httplib::Request& request, httplib::Response& response, Ask ask,
                                    Show show) const {
  const auto id = parse_job_id(std::string(request.matches[1]));
  if (!id) return say(request, response, 404, "That is not the id of a job, such as 7 or job-7.");
  const auto answer = ask(*id);
  if (!answer) return say(request, response, status_of(answer.error()), answer.error().message);
  set_body(request, response, show(*answer), kJson);
}

void WebServer::Routes::show_readiness(const httplib::Request& request, httplib::Response& response) const {
  const auto picture = cluster.picture();
  if (!picture) return say(request, response, 503, picture.error().message);
  const auto& nodes = (*picture)->nodes.nodes();
  const auto live = std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return node.state() == "live"; });
  if (live == 0) return say(request, response, 503, "The master has no live worker.");
  say(request, response, 200, "ready: " + std::to_string(live) + " live workers");
}

void WebServer::Routes::show_metrics(const httplib::Request& request, httplib::Response& response) const {
  const auto picture = cluster.picture();
  set_body(request, response, metrics_text(picture ? picture->get() : nullptr),
           "text/plain; version=0.0.4; charset=utf-8");
}

WebServer::WebServer(WebSettings settings, ClusterView& view, std::unique_ptr<VisitorServer> server)
    : settings_([&] {
        settings.host_names.push_back(settings.listen.host);
        return std::move(settings);
      }()),
      routes_(std::make_unique<Routes>(settings_, view, std::move(server))) {}

WebServer::~WebServer() = default;

Result<std::unique_ptr<WebServer>> WebServer::make(WebSettings settings, ClusterView& view) {
  if (!settings.https && !settings.insecure_network && !is_loopback(settings.listen.host)) {
    return bad_input("'" + net::to_string(settings.listen) +
                     "' is not a loopback address, and what is shown there is not encrypted; 'ontime certs init' and "
                     "'ontime certs node HOST', with the name that visitors use, make a certificate, and --https DIR "
                     "uses it (or say --insecure-network if nobody else is on that network)");
  }
  net::TlsPointer identity;
  if (settings.https) {
    auto loaded = net::TlsIdentity::load(*settings.https);
    if (!loaded) return loaded.error();
    identity = std::move(*loaded);
  }
  auto server = std::make_unique<VisitorServer>(
      std::move(identity), settings.token.empty() ? VisitorCertificate::Wanted : VisitorCertificate::Optional);
  return std::unique_ptr<WebServer>(new WebServer(std::move(settings), view, std::move(server)));
}

Result<std::uint16_t> WebServer::bind() {
  const net::Endpoint& listen = settings_.listen;
  VisitorServer& server = *routes_->server;
  const int port = listen.port == 0                                ? server.bind_to_any_port(listen.host)
                   : server.bind_to_port(listen.host, listen.port) ? listen.port
                                                                   : -1;
  if (port < 0) return failed("cannot listen on " + net::to_string(listen) + "; is another program there?");
  // httplib lets five connections wait to be accepted; of more at once, the kernel drops what they send first.
  ::listen(routes_->listener, SOMAXCONN);
  return static_cast<std::uint16_t>(port);
}

void WebServer::run() { routes_->server->listen_after_bind(); }
void WebServer::stop() { routes_->server->stop(); }

}  // namespace ontime::cli
