# The image of the testbed with Python's package and datatrove, from what docker/testbed/corpus.py puts together.
FROM ontime
USER root
RUN apt-get update -q && apt-get install -y -q --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
COPY packages /usr/lib/python3/dist-packages/
COPY corpus /corpus/
USER ontime
