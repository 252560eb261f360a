#include "master/journal/job_fields.h"

#include "master/journal/stored_fields.h"

namespace ontime::journal {

void put(const scheduler::JobSpec& from, wire::JobSpec* to) { PartWriter().put(from, to); }

Result<scheduler::JobSpec> job_of(const wire::JobSpec& from) {
  PartReader reader(PartReader::Ids::Real);
  auto job = reader.as<scheduler::JobSpec>(from);
  if (reader.wrong() != nullptr) return bad_input(std::string("The job makes no sense: ") + reader.wrong() + ".");
  return job;
}

}  // namespace ontime::journal
