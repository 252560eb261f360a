// What lib/ontime/libontime_network.so exports.
#include "common/store/network.h"

extern "C" [[gnu::visibility("default")]] ontime::store::Network* ontime_network() { return &ontime::store::network(); }
