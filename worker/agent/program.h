#pragma once

namespace ontime::worker {

// The node agent, ontime-worker. Builds the parts, runs them on one thread, and ends with 0 on SIGTERM or SIGINT, after
// it has handed its work over (departure.h), 1 when there is no master or it refuses this worker, 2 for wrong usage.
int main_of(int argc, char** argv);

}  // namespace ontime::worker
