#!/usr/bin/env bash
# run.sh SOURCE_DIR MODULE
# Runs the tests of a module with the Python that `ontime-lab` would take, those of the environment with one that has
# gymnasium.
set -euo pipefail
cd "$1/tests/lab/python"
export PYTHONPATH=$1/python PYTHONDONTWRITEBYTECODE=1
needed="pandas, scipy, matplotlib, yaml" said="No Python here has pandas, SciPy, Matplotlib and PyYAML (scripts/install-dependencies --tests)."
if [ "$2" = test_environment ]; then
  needed="gymnasium, numpy" said="WITHOUT GYMNASIUM: scripts/test python has it"
fi
for python in ${ONTIME_PYTHON:-python3 /usr/bin/python3 "$1/build/tools/python/bin/python"}; do
  "$python" -c "import $needed" 2>/dev/null || continue
  exec "$python" -m unittest "$2"
done
echo "$said"
exit 77
