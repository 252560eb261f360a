// The options of `ontime certs`: one verb with three of its own.
#include "cli/arguments.h"

namespace ontime::cli {
namespace {

constexpr std::uint32_t kAuthorityDays = 3650;
constexpr std::uint32_t kDaysMax = 36500;

CLI::App& add_kind(CLI::App& certs, CertsCommand& command, CertsCommand::What what, const char* name,
                   const char* summary, const char* example) {
  CLI::App& kind = *certs.add_subcommand(name, summary);
  kind.footer(std::string("Example:\n") + example);
  kind.parse_complete_callback([&command, what] { command.what = what; });
  add_text(kind, "--dir", command.directory, "DIR", "Directory of the authority and of what it signs")
      ->capture_default_str();
  kind.add_flag("--force", command.force, "Replace what is there");
  return kind;
}

void add_days(CLI::App& kind, CertsCommand& command, std::uint32_t usual) {
  flags::add_whole(kind, "--days", command.days, {1, kDaysMax}, "Valid for so many days from now")
      ->default_str(std::to_string(usual));
}

}  // namespace

void add_certs_verbs(CLI::App& certs, CertsCommand& command) {
  certs.require_subcommand(1);
  CLI::App& init = add_kind(certs, command, CertsCommand::What::Authority, "init", "Make the cluster's authority, once",
                            "  ontime certs init --dir ontime-certs\n");
  init.preparse_callback([&command](std::size_t) { command.days = kAuthorityDays; });
  add_days(init, command, kAuthorityDays);
  CLI::App& node = add_kind(certs, command, CertsCommand::What::Node, "node",
                            "Make the certificate of a machine that a master or workers run on",
                            "  ontime certs node master.example --host master.example --host 10.0.0.1\n");
  add_argument(node, "NAME", command.name, "Name of the machine");
  add_text(node, "--host", command.hosts, "HOST",
           "Name or address by which others connect to it (default NAME); repeatable");
  add_days(node, command, command.days);
  CLI::App& client = add_kind(certs, command, CertsCommand::What::Client, "client",
                              "Make the certificate of somebody who talks to the master",
                              "  ontime certs client alice --role submit\n");
  add_argument(client, "NAME", command.name, "Name of the person or program");
  add_text(client, "--role", command.role, "ROLE", "What it may do: submit, admin or read-only")
      ->check(flags::one_of({"submit", "admin", "read-only"}))
      ->capture_default_str();
  add_days(client, command, command.days);
  CLI::App& cluster = add_kind(certs, command, CertsCommand::What::Cluster, "cluster",
                               "Make all that a cluster needs: authority, certificates and tokens of every role",
                               "  ontime certs cluster --host master.example --host 10.0.0.1\n");
  add_text(cluster, "--host", command.hosts, "HOST",
           "Name or address by which others connect to the master; repeatable")
      ->required();
  add_days(cluster, command, command.days);
}

}  // namespace ontime::cli
