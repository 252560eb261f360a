// No policy: it lacks ONTIME_POLICY.
extern "C" __attribute__((visibility("default"))) int ontime_nothing() { return 0; }
