#pragma once
// The same as JSON values, for job_json.cpp. Field names are an interface and stay.

#include <nlohmann/json.hpp>

#include "common/protocol/client.pb.h"

namespace ontime::cli {

nlohmann::ordered_json account_value(const wire::Account& account);
nlohmann::ordered_json forecast_value(const wire::Forecast& forecast);
nlohmann::ordered_json copies_value(const wire::Reply::Job& job);
// Without the job's summary.
nlohmann::ordered_json explanation_value(const wire::Reply::Explained& explained);

}  // namespace ontime::cli
