"""A gateway looks for its backend on a port where nothing listens."""

import configparser
import json
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from aresweb.demo.agent import Tool, Turn
from aresweb.demo.client import connection_to, exchange
from aresweb.demo.model import Story, call, finish, give_up, urls_in, use
from aresweb.demo.scratch import Scratch
from aresweb.demo.servers import HOST, Request, Response, serving
from aresweb.demo.tools import Files, check_port, http_request
from aresweb.demo.troubles.trouble import Trouble, World

CONFIGURATION = "[gateway]\nname = shop\nupstream_host = {host}\nupstream_port = {port}\n"
REGISTER = "[stock]\nhost = {host}\nport = {port}\nowner = warehouse\n"


class Gateway:
    """A service that hands every request on to its backend. It reads `gateway.ini` when it starts."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "gateway.ini"
        self._running = ExitStack()
        self._port = 0

    def restart_service(self) -> str:
        """Stop the gateway and start it with the configuration as it is now."""
        self.stop()
        settings = configparser.ConfigParser()
        settings.read_string(self._file.read_text(encoding="utf-8"))
        upstream = f"http://{settings['gateway']['upstream_host']}:{settings['gateway']['upstream_port']}"

        def hand_on(request: Request) -> Response:
            try:
                with closing(connection_to(upstream)) as connection:
                    answer = exchange(connection, "GET", upstream + request.path, {})
            except OSError as error:
                return Response(502, {"error": f"upstream: {error.strerror}"})
            return Response(answer.status, json.loads(answer.body))

        url = self._running.enter_context(serving(hand_on, self._port))
        self._port = int(url.rpartition(":")[2])  # the same one after every restart
        return url

    def stop(self) -> None:
        """Stop the gateway."""
        self._running.close()


@contextmanager
def build(_: Scratch) -> Iterator[World]:
    """The gateway, a backend that runs, and a configuration that names a port where none does."""
    with ExitStack() as world:
        folder = Path(world.enter_context(tempfile.TemporaryDirectory(prefix="aresweb-demo-")))
        stock = world.enter_context(serving(lambda _: Response(200, {"sku": "A-17", "in_stock": 12})))
        # Bound but not listening: connections are refused, and nobody else can take the port meanwhile.
        closed = world.enter_context(socket.socket())
        closed.bind((HOST, 0))
        right, wrong = stock.rpartition(":")[2], closed.getsockname()[1]
        (folder / "gateway.ini").write_text(CONFIGURATION.format(host=HOST, port=wrong), encoding="utf-8")
        (folder / "services.ini").write_text(REGISTER.format(host=HOST, port=right), encoding="utf-8")
        gateway, files = Gateway(folder), Files(folder)
        world.callback(gateway.stop)
        question = (
            f"{gateway.restart_service()}/stock/A-17 answers 502 since the last deployment. The gateway's "
            "configuration is gateway.ini, and services.ini says where the services are. Can you bring it back?"
        )
        tools: list[Tool] = [http_request, check_port, files.read_file, files.replace_in_file, gateway.restart_service]
        yield World([Turn(question, plan)], tools)


def plan(question: str) -> Story:
    """See the error, compare the configuration with what really listens, correct it, verify."""
    [url] = urls_in(question)
    [seen] = yield use("First I look at the error myself.", call(http_request, method="GET", url=url))
    [text] = yield use(
        f"{seen['error']}: the gateway does not reach what is behind it. Where does it look?",
        call(Files.read_file, name="gateway.ini"),
    )
    [configured] = re.findall(r"upstream_port = (\d+)", text)
    [tried, register] = yield use(
        f"It looks at port {configured}. I check the port, and where the service should be.",
        call(check_port, host=HOST, port=int(configured)),
        call(Files.read_file, name="services.ini"),
    )
    [registered] = re.findall(r"port = (\d+)", register)
    if tried["listening"] or registered == configured:
        return give_up(f"Port {configured} is the registered one, so the configuration is not to blame.")
    [tried] = yield use(
        f"Nothing listens on {configured}. The register says {registered}: does something listen there?",
        call(check_port, host=HOST, port=int(registered)),
    )
    if not tried["listening"]:
        return give_up(f"Nothing listens on {configured} nor on {registered}: the service itself is down.")
    yield use(
        f"Yes. I correct the configuration from {configured} to {registered}.",
        call(
            Files.replace_in_file,
            name="gateway.ini",
            old=f"upstream_port = {configured}",
            new=f"upstream_port = {registered}",
        ),
    )
    yield use("The gateway reads it when it starts.", call(Gateway.restart_service))
    [seen] = yield use("Now the address should answer.", call(http_request, method="GET", url=url))
    if seen["status"] != 200:
        return give_up(f"The configuration is right now, but the gateway still answers {seen['status']}.")
    return finish(
        f"The gateway looked for its backend on port {configured}, where nothing listens; it is on {registered}. I "
        f"corrected upstream_port in gateway.ini and restarted the gateway: {url} answers 200 again."
    )


TROUBLE = Trouble("bad-configuration", "The gateway answers 502 after a deployment", "jonas@example.com", build)
