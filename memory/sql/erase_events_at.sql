SELECT aresweb_erase_events_at(%(stream_id)s, %(versions)s::bigint[])
