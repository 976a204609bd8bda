-- Blanked content in the place of a segment's own.
SELECT aresweb_erase_segment(%(segment_id)s, %(content)b, %(raw_bytes)s)
