#!/bin/sh
# Run once by the database's image, when its volume is new: aresweb's role, which is no superuser, its database, pgvector.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$ARESWEB_PASSWORD" --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE aresweb LOGIN NOSUPERUSER NOBYPASSRLS CREATEROLE PASSWORD :'password';
CREATE DATABASE aresweb OWNER aresweb;
\connect aresweb
CREATE EXTENSION vector;
SQL
