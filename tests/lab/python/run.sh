#!/usr/bin/env bash
# run.sh SOURCE_DIR MODULE
# Runs the tests of a module with the Python that `ontime-lab` would take.
set -euo pipefail
cd "$1/tests/lab/python"
export PYTHONPATH=$1/python PYTHONDONTWRITEBYTECODE=1
for python in ${ONTIME_PYTHON:-python3 /usr/bin/python3}; do
  "$python" -c 'import pandas, scipy, matplotlib, yaml' 2>/dev/null || continue
  exec "$python" -m unittest "$2"
done
echo "No Python here has pandas, SciPy, Matplotlib and PyYAML (scripts/install-dependencies --tests)."
exit 77
