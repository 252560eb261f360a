#pragma once
// A record as one line for people: "decided job-1 speculate task 3 ...".

#include <string>

#include "scheduler/core/record.h"

namespace ontime::recording {

std::string text_of(const scheduler::JournalRecord& record);

const char* name_of(scheduler::DecisionNote::What what);  // "end-attempt"

}  // namespace ontime::recording
