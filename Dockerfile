# Caveat's worker, and its page (`caveat up --page-only`), for a Temporal server of your own. Configuration comes from the environment;
# nothing secret is built in.

# The patch release is pinned; 3.11 is the version that the tests run on.
FROM python:3.11.17-slim@sha256:45037981b62b34b44602584fccbc4d884d5f7dc92c7ee86bb38a698a79fe1e51 AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1

WORKDIR /source
RUN python -m venv /opt/caveat

# Dependencies first: this layer lasts until a pinned version changes.
COPY requirements/image.txt requirements/image.txt
RUN /opt/caveat/bin/pip install --require-hashes --only-binary=:all: -r requirements/image.txt

COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY caveat caveat
COPY workflows workflows
COPY activities activities
COPY workers workers
COPY clients clients
# Without isolation the build uses the pinned hatchling from above, and without dependencies
# nothing comes in that has no hash.
RUN /opt/caveat/bin/pip install --no-deps --no-build-isolation .


FROM python:3.11.17-slim@sha256:45037981b62b34b44602584fccbc4d884d5f7dc92c7ee86bb38a698a79fe1e51

# A fixed number, so that volumes keep their owner when the image is built anew. A named volume
# takes the owner of the folder that it is mounted on, so the folders exist in the image.
RUN groupadd --gid 10001 caveat \
    && useradd --uid 10001 --gid caveat --no-create-home --home-dir /var/lib/caveat \
        --shell /usr/sbin/nologin caveat \
    && install --directory --owner=caveat --group=caveat /var/lib/caveat /var/cache/caveat

COPY --from=build /opt/caveat /opt/caveat

ENV PATH=/opt/caveat/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    CAVEAT_STATE_DIR=/var/lib/caveat \
    CAVEAT_CACHE_DIR=/var/cache/caveat \
    CAVEAT_METRICS=127.0.0.1:9464

WORKDIR /var/lib/caveat
USER 10001:10001

# Ready: the Temporal server answers, and sees this very worker ask for work.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD python -c "import urllib.request as web; web.urlopen('http://127.0.0.1:9465/readyz', timeout=5)"

CMD ["caveat", "worker"]
