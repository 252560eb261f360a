#!/usr/bin/env bash
# wheel.sh SOURCE_DIR BUILD_DIR
# Makes the wheel, installs it into a directory of its own, and runs the package's tests against what is installed.
set -euo pipefail
source_dir=$1 build_dir=$2
tools=$source_dir/build/tools
if [ -e "$tools/python-skipped" ] || [ ! -e "$tools/python/made-from" ]; then
  cat "$tools/python-skipped" 2>/dev/null || echo "scripts/install-dependencies --tests has not run."
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ONTIME_PROGRAMS ONTIME_APP_PATH ONTIME_MASTER ONTIME_TOKEN ONTIME_TOKEN_FILE ONTIME_TLS_DIR ONTIME_TLS_CA ONTIME_TLS_CERT \
  ONTIME_TLS_KEY ONTIME_POLICY ONTIME_DEADLINE
export ONTIME_CONFIG=  # nor the file of who runs this

ONTIME_BUILD=$build_dir "$source_dir/scripts/package" wheel
"$tools/python/bin/pip" install -q --no-deps --target "$work/site" "$source_dir"/build/packages/ontime-*.whl
export PYTHONPATH=$work/site PATH=$work/site/bin:$tools/python/bin:$PATH PYTHONDONTWRITEBYTECODE=1
export RAY_USAGE_STATS_ENABLED=0  # it would report to its makers

echo "The programs are on PATH"
[ "$(command -v ontime)" = "$work/site/bin/ontime" ]
ontime --version
ontime apps | grep wordcount >/dev/null

echo "They need no newer glibc than 2.28, and no other library but their own"
"$source_dir/packaging/glibc/check" "$work/site/ontime/_programs"

echo "The licences of what is inside are there, and the texts that they name"
licences=$(echo "$work"/site/ontime-*.dist-info/licenses)
[ -s "$licences/LICENSE" ]
for name in asio boost1.74 brotli bzip2 cli11 curl fmtlib gcc-12 gnutls28 krb5 lz4 nghttp2 nlohmann-json3 openldap openssl \
  prometheus-cpp protobuf pugixml re2 rocksdb simdjson snappy spdlog xz-utils yaml-cpp zlib libzstd Apache-2.0 GPL-3; do
  grep -qiE "copyright|licen[sc]e" "$licences/third-party/$name" || { echo "no licence of $name"; exit 1; }
done

[ -e "$tools/python/engines-made-from" ] || echo "WITHOUT RAY, SPARK, PANDAS, ARROW AND A NOTEBOOK: scripts/test python has them"
pytest -q -rs -p no:cacheprovider --rootdir "$work" "$source_dir/python/tests"
mypy --config-file "$source_dir/python/pyproject.toml" --cache-dir "$work/mypy" "$source_dir/python/ontime"
