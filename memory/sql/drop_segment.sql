-- Whether the segment was old enough for the tenant's retention, and its content is gone now.
SELECT aresweb_drop_segment(%(segment_id)s)
