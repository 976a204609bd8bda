"""The addresses of logging in and of one's account, under the names that django-allauth looks for."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.socialaccount import views as social
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.contrib.auth.views import LogoutView
from django.urls import path, re_path

from dashboard.access import personal, public
from dashboard.views.account import account as page

urlpatterns = [
    path("login/", public(account.login), name="account_login"),
    path("login/code/", public(mfa.authenticate), name="mfa_authenticate"),
    path("login/inactive/", public(account.account_inactive), name="account_inactive"),
    path("logout/", public(LogoutView.as_view()), name="account_logout"),
    path("password/reset/", public(account.password_reset), name="account_reset_password"),
    path("password/reset/sent/", public(account.password_reset_done), name="account_reset_password_done"),
    path(
        "password/reset/done/",
        public(account.password_reset_from_key_done),
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        public(account.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path("account/", page, name="mfa_index"),
    path("account/password/", personal(account.password_change), name="account_change_password"),
    path("account/password/first/", personal(account.password_set), name="account_set_password"),
    path("account/confirm/", personal(account.reauthenticate), name="account_reauthenticate"),
    path("account/confirm/code/", personal(mfa.reauthenticate), name="mfa_reauthenticate"),
    path("account/two-step/", personal(totp.activate_totp), name="mfa_activate_totp"),
    path("account/two-step/off/", personal(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("account/recovery-codes/", personal(recovery_codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "account/recovery-codes/new/",
        personal(recovery_codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path("account/connections/", personal(social.connections), name="socialaccount_connections"),
    path("login/failed/", public(social.login_error), name="socialaccount_login_error"),
    path("login/cancelled/", public(social.login_cancelled), name="socialaccount_login_cancelled"),
    # 404 where no issuer is set
    path("oidc/<str:provider_id>/login/", public(openid_connect.login), name="openid_connect_login"),
    path("oidc/<str:provider_id>/login/callback/", public(openid_connect.callback), name="openid_connect_callback"),
]
