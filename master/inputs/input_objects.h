#pragma once
// The objects of a store, named as files are: one of them, a directory with all below, a pattern. Asks the store; runs
// on a pool thread.

#include <functional>
#include <string>

#include "common/base/result.h"
#include "common/http/store.h"
#include "master/inputs/input_listing.h"

namespace ontime::master {

struct ObjectSink {
  std::function<Status(const std::string& path, const http::Object& object)> keep;
  std::function<void(const std::string& path, std::string why)> leave_out;
  std::function<bool(const std::string& path)> excludes;
  // Success: it is skipped.
  std::function<Status(const std::string& path, const Refusal& refusal)> refuse;
};

// In the order of their keys. What is left out of a prefix is what would be of a directory. BadInput, with one sentence
// that names `argument`, if the store does not answer well, or there is no such object.
Status find_objects(const std::string& argument, const files::Roots& roots, Directories directories,
                    const ObjectSink& sink);

// Fills in what a list does not say: how each file is compressed. Asks for several at a time. Those that are skipped
// are taken out. `records`: the format of the job.
Status complete_objects(std::vector<scheduler::InputFile>& files, const std::string& records, const ObjectSink& sink);

}  // namespace ontime::master
