#pragma once
// An output file that the launcher has made for a runner that runs as another user and may not make it itself. One
// datagram over a SOCK_SEQPACKET pair.

#include <string>

#include "worker/data/output_file.h"

namespace ontime::worker {

// Never waits. False if it could not be sent.
bool hand_over(int socket, const Outcome<OutputFile>& output);

// Waits for the one that was asked for. `path` for messages.
Outcome<OutputFile> take_over(int socket, const std::string& path);

}  // namespace ontime::worker
