// Flags that several programs have, declared once so that they read alike.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "common/flags/flags.h"

namespace ontime::flags {

void add_tls(CLI::App& app, const std::string& who, std::string& authority, std::string& certificate,
             std::string& key) {
  const auto add = [&](const char* name, std::string& value, const std::string& help) {
    app.add_option(name, value, help)->type_name("FILE")->allow_extra_args(false);
  };
  add("--tls-ca", authority,
      "Certificate of the authority of 'ontime certs'; with --tls-cert and --tls-key connections are encrypted "
      "(default: ca.pem, cert.pem and key.pem of $ONTIME_TLS_DIR)");
  add("--tls-cert", certificate, "This " + who + "'s certificate");
  add("--tls-key", key, "Its key");
}

CLI::Option* add_log_level(CLI::App& app, std::string& level, const std::string& help) {
  return app.add_option("--log-level", level, help + ": trace, debug, info, warning, error or off")
      ->check(one_of({"trace", "debug", "info", "warning", "error", "off"}))
      ->type_name("LEVEL")
      ->capture_default_str();
}

void add_log(CLI::App& app, std::string& level, std::string& format, std::string& file) {
  add_log_level(app, level, "Least important events that are logged");
  app.add_option("--log-format", format, "One event a line, as text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  app.add_option("--log-file", file, "Log there instead of to stderr")->type_name("FILE");
}

void add_roots(CLI::App& app, const std::string& who, std::vector<std::string>& inputs,
               std::vector<std::string>& outputs) {
  app.add_option("--input-root", inputs,
                 who +
                     " may read only files that lie in this directory, or whose address begins with this URL; "
                     "repeatable. None: any file that can be read")
      ->type_name("DIR|URL")
      ->allow_extra_args(false);
  app.add_option("--output-root", outputs,
                 who +
                     " may write only to directories that lie in this one, or below this address (s3://, hdfs://); "
                     "repeatable. None: any that can be written")
      ->type_name("DIR|URL")
      ->allow_extra_args(false);
}

std::string with_whole_path(const std::string& policy) {
  const std::size_t end = std::min(policy.find(':'), policy.size());
  const std::string name = policy.substr(0, end);
  if (name.find('/') == std::string::npos) return policy;
  return std::filesystem::absolute(name).lexically_normal().string() + policy.substr(end);
}

CLI::Option* add_policy(CLI::App& app, Settings& parameters, std::function<Status(const std::string&)> read,
                        const std::string& help) {
  const auto put = [read = std::move(read)](const std::string& text) {
    const Status status = read(with_whole_path(text));
    if (!status) throw CLI::ValidationError("--policy", status.error().message);
  };
  auto* option = app.add_option_function<std::string>("--policy", put, help)->type_name("NAME");
  add_settings(app, "--policy-set", parameters, "A parameter of the policy; repeatable");
  return option;
}

}  // namespace ontime::flags
