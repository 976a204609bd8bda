# aresweb's web server and worker, for a PostgreSQL that DATABASE_URL names. docker-compose.yml puts them together.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    ARES_HOME=/data \
    ARES_BIND=0.0.0.0 \
    PORT=8000

RUN useradd --system --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin ares \
    && install --directory --owner=ares --group=ares --mode=0700 /data

WORKDIR /app

# The packages change more rarely than the code, so their layer comes first.
COPY requirements/run.txt requirements/run.txt
RUN python -m pip install --require-hashes --requirement requirements/run.txt

# .dockerignore lets through what runs, and nothing else.
COPY . .

USER ares
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD python -c "\
from http.client import HTTPConnection; \
web = HTTPConnection('127.0.0.1', $PORT, timeout=4); \
web.request('GET', '/healthz'); \
raise SystemExit(web.getresponse().status != 200)"

CMD ["python", "-m", "gunicorn", "--config", "python:aresweb.gunicorn", "aresweb.wsgi"]
