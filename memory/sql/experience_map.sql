-- Each tenant sees its own map alone.
SELECT aresweb_isolate('memory_experiencemap');
