#!/usr/bin/env bash
# store.sh BUILD_DIR: a cluster whose inputs and outputs are in a store, as docker/store.yml has it. Between its nodes
# there is a network and nothing else. The image is the testbed's.
set -euo pipefail
build_dir=$1
gateway=build/tools/versitygw
[ -x "$gateway" ] || { echo "SKIPPED: there is no versitygw (scripts/install-dependencies --tests)"; exit 77; }

# shellcheck source=docker/testbed/engine.sh
state=$build_dir/testbed . docker/testbed/engine.sh
project=${ONTIME_PROJECT}store
export AWS_ACCESS_KEY_ID=AKIDTEST AWS_SECRET_ACCESS_KEY=not-so-secret ONTIME_STORE_IMAGE=ontime-store
unset AWS_ENDPOINT_URL
cluster() { compose -p "$project" -f docker/docker-compose.yml -f docker/store.yml "$@"; }
client() { docker exec "$(cluster ps -q client)" "$@"; }

work=$(mktemp -d)
down() {
  [ "$?" -eq 0 ] || cluster logs --tail 5
  cluster down --volumes --timeout 2 >/dev/null 2>&1 || true
  docker image rm -f ontime-store >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap down EXIT

cp "$gateway" "$work/"
printf 'FROM debian:bookworm-slim\nCOPY versitygw /\nENTRYPOINT ["/versitygw"]\n' >"$work/Dockerfile"
DOCKER_BUILDKIT=0 docker build -q -t ontime-store "$work"
# The one volume is the store's. What the base file mounts at /data is there and is not used: workers may not read it.
cluster up -d --scale worker=3 >"$work/up.log" 2>&1 || { cat "$work/up.log"; exit 1; }
cluster exec -T store mkdir -p /objects/books/text
for book in examples/text/*; do docker cp -q "$book" "$(cluster ps -q store):/objects/books/text/" 2>/dev/null || docker cp "$book" "$(cluster ps -q store):/objects/books/text/"; done
for ((tries = 0; tries < 150; tries++)); do
  [ "$(client ontime nodes 2>/dev/null | grep -cw live || true)" -ne 3 ] || break
  sleep 0.2
done
client ontime submit wordcount s3://books/text --output s3://books/counts --splits 24 --wait
client ontime verify s3://books/counts
client ontime result s3://books/counts | LC_ALL=C sort >"$work/found"
cat examples/text/* | tr -s ' \t\n\v\f\r' '\n' | grep . | LC_ALL=C sort | uniq -c | awk '{ print $2 "\t" $1 }' |
  LC_ALL=C sort >"$work/expected"
cmp "$work/found" "$work/expected"
if client ontime submit wordcount /etc/passwd --output s3://books/other; then
  echo "a file outside of the roots was taken"
  exit 1
fi
echo "the answer is exact: $(wc -l <"$work/found") lines"
