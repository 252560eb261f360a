#include "worker/agent/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <thread>
#include <utility>

#include "common/app/loaded_application.h"
#include "common/base/units.h"
#include "common/net/token.h"
#include "worker/agent/slots.h"

namespace ontime::worker {
namespace {

constexpr std::uint16_t kMasterPort = 7400;
constexpr std::size_t kNameBytesMax = 256;

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

// What was written on the command line, before it is understood.
struct Words {
  std::string master = "127.0.0.1:7400";
  std::uint32_t slots = std::max(1u, std::thread::hardware_concurrency());
  std::string name;
  std::string connect_timeout = "30s";
  std::string token_file;
  net::TlsFiles tls;
  std::vector<std::string> directories;
  std::vector<std::string> input_roots;
  std::vector<std::string> output_roots;
  bool check_config = false;
};

void declare(CLI::App& app, Words& words, Options& options) {
  app.add_option("--master", words.master, "Where the master listens")->type_name("HOST:PORT")->capture_default_str();
  app.add_option("--slots", words.slots, "Attempts that run at the same time; default: one per core")
      ->check(CLI::Range(1u, Slots::kSlotsMax))
      ->type_name("N");
  app.add_option("--name", words.name, "Shown to people; default: host name and process id");
  app.add_option("--app-dir", words.directories, "Look here for applications first; may be repeated")
      ->type_name("DIR")
      ->take_all();
  app.add_option("--input-root", words.input_roots,
                 "Attempts may read only files that lie in this directory; may be repeated. None: any file")
      ->type_name("DIR")
      ->take_all();
  app.add_option("--output-root", words.output_roots,
                 "Attempts may write only to directories that lie in this one; may be repeated. None: any directory")
      ->type_name("DIR")
      ->take_all();
  app.add_option("--connect-timeout", words.connect_timeout, "Give up if no master has let us in within this time")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--token-file", words.token_file,
                 "File with the token to show the master; default: $ONTIME_TOKEN, or token of $ONTIME_TLS_DIR")
      ->type_name("FILE");
  app.add_option("--tls-ca", words.tls.authority,
                 "Certificate of the authority of 'ontime certs'; with --tls-cert and --tls-key the connection is "
                 "encrypted. Default: ca.pem, cert.pem and key.pem of $ONTIME_TLS_DIR")
      ->type_name("FILE");
  app.add_option("--tls-cert", words.tls.certificate, "This worker's certificate")->type_name("FILE");
  app.add_option("--tls-key", words.tls.key, "Its key")->type_name("FILE");
  app.add_option("--log-level", options.log.level, "trace, debug, info, warning, error or off")->capture_default_str();
  app.add_option("--log-format", options.log.format, "text or json")->capture_default_str();
  app.add_option("--log-file", options.log.file, "Write the log there; default: stderr")->type_name("FILE");
  app.add_option("--die-with-parent", options.parent, "End when this process, which started this one, ends")
      ->check(CLI::PositiveNumber)
      ->type_name("PID");
  app.add_flag("--check-config", words.check_config, "Check flags and configuration file, and exit")
      ->configurable(false);
  app.set_version_flag("--version", ONTIME_VERSION);
  app.set_config("--config", "", "Read options from this file");
  app.allow_config_extras(CLI::config_extras_mode::error);  // a misspelt name is an error, as on the command line
}

Status understand_roots(const Words& words, Options& options) {
  auto input = files::Roots::make(words.input_roots);
  if (!input) return bad_input("--input-root: " + input.error().message);
  auto output = files::Roots::make(words.output_roots);
  if (!output) return bad_input("--output-root: " + output.error().message);
  options.input_roots = std::move(*input);
  options.output_roots = std::move(*output);
  return {};
}

Status understand(const Words& words, Options& options) {
  auto master = net::parse_endpoint(words.master, kMasterPort);
  if (!master) return bad_input("--master: " + master.error().message);
  if (master->port == 0) return bad_input("--master: port 0 is nobody's");
  auto timeout = parse_duration(words.connect_timeout);
  if (!timeout) return bad_input("--connect-timeout: " + timeout.error().message);
  auto token = net::read_own_token(words.token_file);
  if (!token) return std::move(token).error();
  auto tls = net::load_tls(words.tls);
  if (!tls) return std::move(tls).error();
  if (words.name.size() > kNameBytesMax) return bad_input("--name: at most 256 bytes");
  if (auto roots = understand_roots(words, options); !roots) return roots;
  options.master = std::move(*master);
  options.connect_timeout = *timeout;
  options.token = std::move(*token);
  options.tls = std::move(*tls);
  options.slots = words.slots;
  options.host = host_name();
  options.name = words.name.empty() ? options.host + ":" + std::to_string(::getpid()) : words.name;
  options.application_directories = words.directories;
  for (auto& directory : app::default_application_directories()) {
    options.application_directories.push_back(std::move(directory));
  }
  return {};
}

}  // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
  CLI::App app("Runs attempts of an Ontime cluster's jobs on this machine.", "ontime-worker");
  Options options;
  options.log.program = "ontime-worker";
  Words words;
  declare(app, words, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << "\n";
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << "ontime-worker: " << error.what() << "; see ontime-worker --help\n";
    return 2;
  }
  if (auto understood = understand(words, options); !understood) {
    std::cerr << "ontime-worker: " << understood.error().message << "\n";
    return 2;
  }
  if (words.check_config) {
    std::cout << "The configuration is fine.\n";
    return 0;
  }
  return options;
}

}  // namespace ontime::worker
