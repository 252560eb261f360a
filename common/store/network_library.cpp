// What lib/ontime/libontime_network.so exports.
#include "common/store/network.h"

extern "C" {

[[gnu::visibility("default")]] extern const char ontime_network_build[] = ONTIME_NETWORK_BUILD;

[[gnu::visibility("default")]] ontime::store::Network* ontime_network() { return &ontime::store::network(); }
}
