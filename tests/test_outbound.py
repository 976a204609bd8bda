"""Where the server may be sent to: not into its own network by somebody's name for it."""

import socket
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import httpx
import pytest
from django.test import override_settings

from memory import outbound
from memory.errors import ServiceDown, ServiceRefused
from memory.services import Service
from tests.service import Served, service, told


@pytest.fixture
def served() -> Iterator[Served]:
    with service() as running:
        running.answer = lambda body: told({"ok": True})
        yield running


def named(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let every name have these addresses, one answer after the other; returns the names that are asked for."""
    asked: list[str] = []
    left = list(answers)

    def getaddrinfo(host: str, port: int, *args: Any, **kwargs: Any) -> list[Any]:
        asked.append(host)
        found = left.pop(0) if len(left) > 1 else left[0]
        return [
            (socket.AF_INET6 if ":" in text else socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, port))
            for text in found
        ]

    monkeypatch.setattr(outbound.socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::"],
)  # fmt: skip
def test_addresses_that_are_not_of_the_public_network(address: str) -> None:
    assert not outbound.is_public(ip_address(address))


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:1.1.1.1"])
def test_addresses_that_are(address: str) -> None:
    assert outbound.is_public(ip_address(address))


def test_a_name_with_a_private_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch, served: Served) -> None:
    named(monkeypatch, ["1.1.1.1", "127.0.0.1"])
    with pytest.raises(ServiceRefused, match=r"is not asked: models\.example has the private address 127\.0\.0\.1"):
        Service("The service", served.url.replace("127.0.0.1", "models.example"), "", 2).post("x", {}, dict)
    assert served.asked == []


@override_settings(ARES_PRIVATE_HOSTS=["Models.Example"])
def test_the_environment_allows_a_name(monkeypatch: pytest.MonkeyPatch, served: Served) -> None:
    named(monkeypatch, ["127.0.0.1"])
    found = Service("The service", served.url.replace("127.0.0.1", "models.example"), "", 5).post("x", {"n": 1}, dict)
    assert found == {"ok": True}
    assert served.asked == [{"n": 1}]


@override_settings(ARES_PRIVATE_HOSTS=["other.example"])
def test_what_the_environment_names_as_an_address_is_meant(served: Served) -> None:
    with pytest.raises(ServiceRefused):
        Service("The service", served.url, "", 5).post("x", {}, dict)
    with override_settings(ARES_SERVICES={"ARES_LLM_URL": served.url, "ARES_LLM_KEY": "k"}):
        assert Service("The service", served.url, "", 5).post("x", {}, dict) == {"ok": True}


def test_a_name_that_changes_its_address_gains_nothing(monkeypatch: pytest.MonkeyPatch, served: Served) -> None:
    """The name is asked for once, and what is connected to is what was judged."""
    asked = named(monkeypatch, ["192.0.2.1"], ["127.0.0.1"])
    monkeypatch.setattr(outbound, "is_public", lambda address: str(address) == "192.0.2.1")
    connected: list[str] = []

    def handle(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        connected.append(request.url.host)
        assert request.headers["Host"] == "models.example"
        assert request.extensions["sni_hostname"] == "models.example"
        return httpx.Response(200, json={"ok": True})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    Service("The service", "https://models.example/v1", "", 2).post("x", {}, dict)
    assert (asked, connected) == (["models.example"], ["192.0.2.1"])


def test_a_redirect_is_not_followed(served: Served) -> None:
    served.answer = lambda body: (302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b"")
    with pytest.raises(ServiceRefused, match="answered 302"):
        Service("The service", served.url, "", 5).post("x", {}, dict)
    assert len(served.asked) == 1


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch, served: Served) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert Service("The service", served.url, "", 5).post("x", {}, dict) == {"ok": True}


@pytest.mark.parametrize("host", ["0177.0.0.1", "2130706433", "0x7f000001", "127.1"])
def test_addresses_in_disguise_are_judged_by_what_they_mean(host: str, served: Served) -> None:
    with pytest.raises((ServiceRefused, ServiceDown, httpx.InvalidURL)):
        Service("The service", served.url.replace("127.0.0.1", host), "", 2, tries=1).post("x", {}, dict)
    assert served.asked == []


def test_a_name_that_nobody_knows_is_a_service_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: Any, **kwargs: Any) -> list[Any]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(outbound.socket, "getaddrinfo", unknown)
    with pytest.raises(ServiceDown, match=r"models\.example is not known"):
        Service("The service", "https://models.example/v1", "", 2, tries=1).post("x", {}, dict)
