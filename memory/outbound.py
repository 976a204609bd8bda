"""Where this server may be sent to: what it asks over HTTP must not lead into its own network by somebody's name.

A name is looked up once, every address that it has is judged, and the connection goes to an address that was judged: a
name that answers differently a moment later (DNS rebinding) gains nothing. Redirects are not followed, and no proxy of
the environment is asked, since that would look names up by itself.
"""

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import httpx
from django.conf import settings

IPAddress = IPv4Address | IPv6Address
NAT64 = IPv6Network("64:ff9b::/96")


class Refused(httpx.ConnectError):
    """The address is one that is not asked."""


class Outbound(httpx.HTTPTransport):
    """HTTP to public addresses, and to the private ones of hosts that the environment allows."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it to an address that was judged; the name stays in the Host header and in TLS.

        Raises:
            Refused: the name has an address that is not asked.
            httpx.ConnectError: the name is not known.
        """
        host = request.url.host
        chosen = choose(host, _addresses(host, request.url.port), allowed_hosts())
        request.extensions = {**request.extensions, "sni_hostname": host}
        request.url = request.url.copy_with(host=str(chosen))
        return super().handle_request(request)


def client(base_url: str, headers: dict[str, str], seconds: float) -> httpx.Client:
    """A client that is held to it."""
    return httpx.Client(
        base_url=base_url, headers=headers, timeout=seconds, transport=Outbound(), follow_redirects=False
    )


def choose(host: str, addresses: Collection[IPAddress], allowed: Collection[str]) -> IPAddress:
    """The first of a name's addresses, if all of them may be asked.

    Raises:
        Refused: one of them is not public, and the host is not among the allowed ones.
    """
    private = [address for address in addresses if not is_public(address)]
    if private and host.lower() not in allowed:
        raise Refused(f"{host} has the private address {private[0]}; ARES_PRIVATE_HOSTS can allow it")
    return next(iter(addresses))


def is_public(address: IPAddress) -> bool:
    """Whether it is an address of the public network: not of this machine, a local or a reserved one, however it is
    written. RFC 6890, and RFC 4291 (mapped), 3056 (6to4), 6052 (NAT64) for IPv4 within IPv6."""
    inner = _within(address)
    if inner is not None:
        return is_public(inner)
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def allowed_hosts() -> frozenset[str]:
    """Hosts that may have private addresses: those of ARES_PRIVATE_HOSTS, and what the environment's own addresses of
    services name as an address or as `localhost`, for that can mean nothing else."""
    addresses = (text for name, text in settings.ARES_SERVICES.items() if name.endswith("_URL"))
    named = {urlsplit(text).hostname or "" for text in addresses}
    return frozenset(
        {host.lower().strip("[]") for host in settings.ARES_PRIVATE_HOSTS}
        | {host for host in named if host == "localhost" or _literal(host) is not None}
    )


def _addresses(host: str, port: int | None) -> list[IPAddress]:
    literal = _literal(host)
    if literal is not None:
        return [literal]
    try:
        found = socket.getaddrinfo(host, port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError(f"{host} is not known") from error
    return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


def _literal(host: str) -> IPAddress | None:
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def _within(address: IPAddress) -> IPv4Address | None:
    if not isinstance(address, IPv6Address):
        return None
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
