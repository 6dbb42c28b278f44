# The command line and the web app. Stores and pages go to /lab: mount a folder of yours there.
#
#   docker build --tag sociolab .
#   docker run --rm --volume "$PWD:/lab" sociolab demo
#   docker run --rm --volume "$PWD:/lab" --publish 127.0.0.1:8000:8000 sociolab \
#     web --host 0.0.0.0 --store demo-report.db
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE LICENSE-DATA constraints.txt ./
COPY src src
RUN pip wheel --no-cache-dir --constraint constraints.txt --wheel-dir /wheels ".[figures,parquet,virtual-dm]"

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --no-deps /wheels/*.whl \
    && useradd --uid 1000 --create-home lab \
    && install --directory --owner lab /lab
USER 1000
WORKDIR /lab
ENV SOCIOLAB_HOME=/lab PYTHONUNBUFFERED=1
EXPOSE 8000
ENTRYPOINT ["sociolab"]
CMD ["--help"]
