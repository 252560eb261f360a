#pragma once
// An etcd on a simulated machine, with the JSON gateway that its members have: EtcdRules behind HTTP.

#include <string>

#include "tests/machines/etcd_rules.h"
#include "tests/machines/http_server.h"

namespace ontime::lab::machines {

class EtcdServer final : public HttpServer {
 public:
  EtcdServer(Cluster& cluster, Machine& machine) : HttpServer(cluster, machine, "etcd") {}

  // Of the journal in it.
  std::string address() const;
  TimePoint now() { return machine().steady_time(); }  // by which leases end

  EtcdRules rules;

 private:
  HttpAnswer perform(const HttpRequest& request, bool is_late) override;
  HttpAnswer refusal(int status) const override;
};

}  // namespace ontime::lab::machines
