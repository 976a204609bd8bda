-- Invitations belong to a tenant; the link names it, so none has to be found before a tenant is known.
SELECT aresweb_isolate('memory_invitation');

-- Counts of failed log-ins and codes that were used, shared by all processes (Django's DatabaseCache).
CREATE TABLE aresweb_cache (
    cache_key varchar(255) PRIMARY KEY,
    value text NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE INDEX aresweb_cache_expires ON aresweb_cache (expires);
