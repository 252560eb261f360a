#pragma once

namespace ontime::master {

// ontime-master: parses, builds, runs. Gives the exit status.
int main_of(int argc, char** argv);

}  // namespace ontime::master
