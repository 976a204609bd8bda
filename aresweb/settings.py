"""Settings of the project. Values come from the environment (`aresweb.env`); the domain's own are in `memory.conf`."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from aresweb import env
from aresweb.database.embedded import EmbeddedServer
from memory import conf
from memory.errors import Invalid
from memory.vocabulary import HintRule, Kind, LinkKind

BASE_DIR = env.BASE_DIR

try:
    ENVIRONMENT = env.read()
    INSTALLATION = env.load(ENVIRONMENT)
    ARES = conf.load(ENVIRONMENT)
    ARES_ORIGINS = env.origins()
    HOME = env.home(ENVIRONMENT)
    SECRET_KEY = INSTALLATION["ARES_SECRET_KEY"] or env.kept_secret_key(HOME)
except Invalid as error:
    # Whoever started us, manage.py or gunicorn, would print a traceback for anything else.
    sys.exit(f"aresweb cannot start: {error.detail}")

# What the page of settings shows besides: the installation's own variables.
ARES_INSTALLATION = env.told(ENVIRONMENT)
# What the domain asks over HTTP: addresses, models and keys of services.
SERVICES = ("ARES_EMBEDDING_", "ARES_LLM_", "ARES_RERANK_")
ARES_SERVICES = {name: INSTALLATION[name] for name in INSTALLATION if name.startswith(SERVICES)}
# Hosts that may be asked although their addresses are private: the environment's word for it.
ARES_PRIVATE_HOSTS = INSTALLATION["ARES_PRIVATE_HOSTS"]
ARES_PORT = INSTALLATION["PORT"]
ARES_BIND = INSTALLATION["ARES_BIND"]
ARES_WEB_WORKERS = INSTALLATION["ARES_WEB_WORKERS"]
ARES_DEMO = INSTALLATION["ARES_DEMO"]

DEBUG = INSTALLATION["ARES_DEBUG"]
HTTPS = INSTALLATION["ARES_HTTPS"]
# The machine's own names come on top, so that health checks and the supervisor reach the server under any setting.
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", INSTALLATION["ARES_BIND"], *INSTALLATION["ARES_ALLOWED_HOSTS"]]

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # what it shows is registered in aresweb.administration alone
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "template_partials",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_q",
    "memory",
    "aresweb",
    "dashboard",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "memory.api.limits.BodyLimitMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

DATA_UPLOAD_MAX_MEMORY_SIZE = ARES["ARES_MAX_BODY_BYTES"]

ROOT_URLCONF = "aresweb.urls"
WSGI_APPLICATION = "aresweb.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.context.shell",
            ],
        },
    }
]


def database() -> dict[str, Any]:
    """The server that DATABASE_URL names, else the embedded one in the home folder."""
    common = {"ENGINE": "aresweb.database", "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}
    if INSTALLATION["DATABASE_URL"]:
        return {**INSTALLATION["DATABASE_URL"], **common}
    address = EmbeddedServer(HOME).connection_parameters
    return {
        "NAME": address["dbname"],
        "USER": address["user"],
        "HOST": address["host"],
        "PORT": address["port"],
        "EMBEDDED_HOME": HOME,
        **common,
    }


DATABASES = {"default": database()}
# What all processes must know of a log-in: tries that failed, codes that were used. Never culled before it is over.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "aresweb_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "memory.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "dashboard:overview"
LOGOUT_REDIRECT_URL = "account_login"
SESSION_COOKIE_AGE = ARES["ARES_LOGIN_HOURS"] * 3600
PASSWORD_RESET_TIMEOUT = 3600

ACCOUNT_ADAPTER = "dashboard.accounts.adapters.AccountAdapter"
ACCOUNT_FORMS = {"reset_password": "dashboard.accounts.forms.ResetPasswordForm"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # people come by invitation; there is no sign-up
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_METHODS = {"password", "mfa"}
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/5m/key", "reset_password": "10/m/ip,3/5m/key"}
# The proxy that sets X-Forwarded-Proto adds the client's address to X-Forwarded-For.
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if HTTPS else 0
MFA_ADAPTER = "dashboard.accounts.adapters.MFAAdapter"
MFA_FORMS = {"activate_totp": "dashboard.accounts.forms.ActivateTOTPForm"}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "aresweb"
MFA_TOTP_TOLERANCE = 1
MFA_ALLOW_UNVERIFIED_EMAIL = True  # whoever is locked out asks an administrator, not the mail
OIDC = INSTALLATION["ARES_OIDC_URL"]
ARES_OIDC = {"provider_id": "sso", "name": INSTALLATION["ARES_OIDC_NAME"]} if OIDC else None
SOCIALACCOUNT_ADAPTER = "dashboard.accounts.adapters.SocialAccountAdapter"
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                **ARES_OIDC,
                "client_id": INSTALLATION["ARES_OIDC_CLIENT"],
                "secret": INSTALLATION["ARES_OIDC_KEY"],
                "settings": {"server_url": OIDC.rstrip("/")},
            }
        ]
        if ARES_OIDC
        else [],
    }
}
# The issuer says whose address it is; somebody who has an account under it logs in to that.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True

MAIL = INSTALLATION["ARES_MAIL_URL"]
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL else 'console'}.EmailBackend"
globals().update(MAIL or {})
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = INSTALLATION["ARES_MAIL_FROM"]

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "static/"
# Charts are drawn with the script that the package plotly brings; importing the package would cost every start.
PLOTLY = find_spec("plotly")
STATICFILES_DIRS: list[Any] = [
    BASE_DIR / "static",
    *(("plotly", Path(place) / "package_data") for place in (PLOTLY and PLOTLY.submodule_search_locations) or ()),
]
# Served from where the packages keep them: no collecting step, so that a fresh checkout starts at once.
WHITENOISE_USE_FINDERS = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memory.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["memory.api.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["memory.api.rendering.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "memory.api.problems.handle",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "aresweb",
    "DESCRIPTION": "Flight recorder and memory refinery for AI agents.",
    "VERSION": "0.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "KindEnum": list(map(str, Kind)),
        "LinkKindEnum": list(map(str, LinkKind)),
        "HintRuleEnum": list(map(str, HintRule)),
    },
}

BROKER_URL = INSTALLATION["ARES_BROKER_URL"]
Q_CLUSTER = {
    "name": "aresweb",
    "workers": INSTALLATION["ARES_WORKERS"],
    "timeout": 600,
    "retry": 900,
    "max_attempts": 5,
    "poll": 1,
    "save_limit": 1000,
    "catch_up": False,
    **({"redis": BROKER_URL} if BROKER_URL else {"orm": "default"}),
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        # Browsers hold redirects of a form to this too, and logging in by the issuer is one.
        "form-action": ["'self'", *([urljoin(OIDC, "/")] if OIDC else [])],
        "frame-ancestors": ["'none'"],
    }
}
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# A list that browsers ship with is no place to put somebody's domain without asking.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
CSRF_FAILURE_VIEW = "aresweb.errors.form_too_old"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# Whoever asks for the server's health asks it directly, not through the proxy.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
if HTTPS:  # browsers take a cookie of such a name from this host alone, and over HTTPS alone
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "aresweb.logs.Discreet",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {"httpx": {"level": "WARNING"}},  # it would tell every request to a service, with its address
    "root": {"handlers": ["console"], "level": "INFO"},
}
