"""The troubles, one a module."""

from aresweb.demo.troubles import (
    api_error,
    bad_configuration,
    lock_timeout,
    missing_orders,
    on_call_habits,
    shop_checkup,
    silent_failure,
    slow_query,
)

TROUBLES = (
    slow_query.TROUBLE,
    api_error.TROUBLE,
    bad_configuration.TROUBLE,
    shop_checkup.TROUBLE,
    lock_timeout.TROUBLE,
    missing_orders.TROUBLE,
    on_call_habits.TROUBLE,
    silent_failure.TROUBLE,
)
