# The image of the testbed with Python's package and datatrove, for docker/testbed/corpus.py.
FROM ontime
USER root
RUN apt-get update -q && apt-get install -y -q --no-install-recommends python3-pip zstd \
 && pip install --quiet --break-system-packages --no-cache-dir 'datatrove>=0.6' zstandard orjson && rm -rf /var/lib/apt/lists/*
COPY python/ontime /usr/lib/python3/dist-packages/ontime
COPY examples/corpus docker/testbed/corpus /corpus/
COPY examples/text /corpus/text
USER ontime
