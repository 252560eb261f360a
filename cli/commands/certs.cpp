// certs init, node, client, cluster: the certificates of a cluster.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/certs/certificate_directory.h"
#include "cli/commands/execute.h"

namespace ontime::cli {
namespace {

std::string end_of(const std::string& path) {
  std::ifstream file(path);
  const auto end = end_of_validity({std::istreambuf_iterator<char>(file), {}});
  return end ? *end : "an unknown time";
}

void print_authority(const std::string& path) {
  std::printf("An authority, valid until %s:\n  %s/ca.pem\n  %s/ca.key  keep it secret: who has it can be anybody\n",
              end_of(path + "/ca.pem").c_str(), path.c_str(), path.c_str());
}

void print_certificate(const std::string& directory, const CertificateRequest& request) {
  std::string hosts;
  for (const std::string& host : request.hosts) hosts += (hosts.empty() ? " for " : ", ") + host;
  std::printf(
      "A certificate of %s (%s)%s, valid until %s:\n  %s/{ca,cert,key}.pem\nUse it with:\n  export ONTIME_TLS_DIR=%s\n",
      request.name.c_str(), request.role.c_str(), hosts.c_str(), end_of(directory + "/cert.pem").c_str(),
      directory.c_str(), directory.c_str());
}

Result<ExitCode> make_cluster(const CertsCommand& command, std::chrono::hours validity, IfThere if_there) {
  const auto made = CertificateDirectory(command.directory).make_cluster(command.hosts, validity, if_there);
  if (!made) return made.error();
  print_authority(command.directory);
  std::printf("Certificates and tokens, valid until %s:\n", end_of(made->front() + "/cert.pem").c_str());
  for (const std::string& directory : *made) std::printf("  %s\n", directory.c_str());
  std::printf("Copy each to where it is needed, and name it there in ONTIME_TLS_DIR.\n");
  return ExitCode::Done;
}

}  // namespace

Result<ExitCode> execute(const CertsCommand& command) {
  CertificateDirectory directory(command.directory);
  const IfThere if_there = command.force ? IfThere::Replace : IfThere::Refuse;
  const std::chrono::hours validity(24l * command.days);
  if (command.what == CertsCommand::What::Cluster) return make_cluster(command, validity, if_there);
  if (command.what == CertsCommand::What::Authority) {
    if (auto made = directory.make_authority(validity, if_there); !made) return made.error();
    print_authority(command.directory);
    return ExitCode::Done;
  }
  CertificateRequest request{command.name, command.role, {}, validity};
  if (command.what == CertsCommand::What::Node) {
    request.role = "worker";
    request.hosts = command.hosts;
    if (request.hosts.empty()) request.hosts.push_back(command.name);
  }
  const auto made = directory.issue(request, if_there);
  if (!made) return made.error();
  print_certificate(*made, request);
  return ExitCode::Done;
}

}  // namespace ontime::cli
