#pragma once

#include <string>

namespace ontime::master {

// What is to be known before the journal is read: where this master keeps what is not in it.
using Prepare = void (*)(const std::string& state_directory);

// ontime-master: parses, builds, runs. Gives the exit status.
int main_of(int argc, char** argv, Prepare prepare);

}  // namespace ontime::master
