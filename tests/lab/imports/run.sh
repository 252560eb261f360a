#!/usr/bin/env bash
# run.sh SOURCE_DIR BUILD_DIR
# Imports the logs of other systems with the programs of this build.
set -euo pipefail
tools=$1/build/tools
if [ -e "$tools/python-skipped" ] || [ ! -e "$tools/python/made-from" ]; then
  cat "$tools/python-skipped" 2>/dev/null || echo "scripts/install-dependencies --tests has not run."
  exit 77
fi
export PYTHONPATH=$1/python PATH=$2/bin:$PATH PYTHONDONTWRITEBYTECODE=1 ONTIME_CONFIG=
exec "$tools/python/bin/pytest" -q -rs -p no:cacheprovider "$1/tests/lab/imports"
