#!/bin/bash
# The alarms of docker/monitoring by Prometheus' own tool. Skipped, which it says, where Debian's package prometheus is not installed.
set -eu
source=$1
promtool=${PROMTOOL:-promtool}
if ! command -v "$promtool" > /dev/null; then
  echo "SKIPPED: there is no promtool; apt-get install prometheus"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/docker/monitoring/ontime-alerts.yml" "$source/tests/deploy/alerts_test.yml" "$work"
"$promtool" check rules "$work/ontime-alerts.yml"
"$promtool" test rules "$work/alerts_test.yml"
