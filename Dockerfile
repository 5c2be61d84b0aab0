# The command line alone, on a slim Python, without root: docker build -t receval . && docker run --rm -v "$PWD:/work" receval run config.yaml
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE ./
COPY requirements requirements
COPY evaluator evaluator
COPY cli cli
COPY configs configs
ARG EXTRAS=""
RUN python -m venv /opt/receval && /opt/receval/bin/pip install --no-cache-dir --no-compile -c requirements/newest.txt ".${EXTRAS}"

FROM python:3.12-slim
COPY --from=build /opt/receval /opt/receval
RUN useradd --create-home --uid 10001 receval
ENV PATH="/opt/receval/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER receval
WORKDIR /work
ENTRYPOINT ["receval"]
CMD ["--help"]
