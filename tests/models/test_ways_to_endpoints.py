"""Ways to an endpoint: through proxies, over TLS, with headers; and no secret shown on any."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from raw_server import KEY, PROMPT, Serve, completion, http, raw_server, request
from sociolab.core import ConfigError, ModelError
from sociolab.models import Endpoint, EndpointSpec, FineTuningClient, traffic

HOST = "models.invalid"
"""Nobody's: only a proxy can lead there."""

PASSWORD = "pass/w0rd+of-mine"
LOGIN = f"me:{PASSWORD.replace('/', '%2F')}@"
SECRET = "sk-proj/0123456789+abcdef"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@dataclass
class Heard:
    """What a server heard: first lines, and headers."""

    lines: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def answering(self, reply: bytes) -> Serve:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                line, headers, _ = await request(reader)
                self.lines.append(line)
                self.headers.append(headers)
                writer.write(reply)

        return serve

    def tunnel_to(self, port: int) -> Serve:
        """A proxy whose every tunnel leads to one port."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line, headers, _ = await request(reader)
            self.lines.append(line)
            self.headers.append(headers)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            inner, outer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pumped(reader, outer), _pumped(inner, writer))

        return serve


async def _pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


@asynccontextmanager
async def opened(base_url: str, **spec: Any) -> AsyncIterator[Endpoint]:
    spec = {"name": "lab", "base_url": base_url, "tries": 2, "timeout_s": 20.0} | spec
    async with asyncio.timeout(60), Endpoint(EndpointSpec(**spec)) as endpoint:
        yield endpoint


async def asked(base_url: str, **spec: Any) -> str:
    async with opened(base_url, **spec) as endpoint:
        return (await endpoint.model("m").complete(PROMPT, KEY)).text


async def failed(base_url: str, **spec: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await asked(base_url, **spec)
    return caught.value


def said(error: BaseException | None) -> str:
    """All that an error and those behind it say."""
    words = ""
    while error is not None:
        words += f"{error} {error!r} "
        error = error.__cause__ or error.__context__
    return words


# ---------------------------------------------------------------- proxies


@pytest.mark.parametrize("scheme", ["http://", ""])
def test_a_call_goes_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    heard = Heard()

    async def go() -> None:
        async with raw_server(heard.answering(http(completion("Hi.")))) as port:
            monkeypatch.setenv("HTTP_PROXY", f"{scheme}{LOGIN}127.0.0.1:{port}")
            assert await asked(f"http://{HOST}/v1") == "Hi."

    asyncio.run(go())
    assert heard.lines == [f"POST http://{HOST}/v1/chat/completions HTTP/1.1"]
    assert heard.headers[0]["host"] == HOST
    assert heard.headers[0]["proxy-authorization"].startswith("Basic ")


def test_a_call_over_tls_is_tunnelled_and_the_proxy_never_sees_the_key(
    monkeypatch: pytest.MonkeyPatch, certificate: Certificate
) -> None:
    monkeypatch.setenv("THE_KEY", SECRET)
    proxy, server = Heard(), Heard()

    async def go() -> None:
        reply = server.answering(http(completion("Hi.")))
        async with (
            raw_server(reply, certificate.context()) as port,
            raw_server(proxy.tunnel_to(port)) as proxy_port,
        ):
            monkeypatch.setenv("HTTPS_PROXY", f"http://{LOGIN}127.0.0.1:{proxy_port}")
            spec = {"key_env": "THE_KEY", "ca_bundle": certificate.file}
            async with opened(f"https://{HOST}/v1", **spec) as endpoint:
                for _ in range(2):
                    assert (await endpoint.model("m").complete(PROMPT, KEY)).text == "Hi."

    asyncio.run(go())
    assert proxy.lines == [f"CONNECT {HOST}:443 HTTP/1.1"]
    assert proxy.headers[0]["proxy-authorization"].startswith("Basic ")
    assert "authorization" not in proxy.headers[0]
    assert server.lines == ["POST /v1/chat/completions HTTP/1.1"] * 2
    assert [one["authorization"] for one in server.headers] == [f"Bearer {SECRET}"] * 2
    assert "proxy-authorization" not in server.headers[0]


@pytest.mark.parametrize("spared", ["127.0.0.1", "127.0.0.1:{port}", "localhost, 127.0.0.1", "*"])
def test_a_host_of_no_proxy_is_called_without(monkeypatch: pytest.MonkeyPatch, spared: str) -> None:
    heard = Heard()

    async def go() -> None:
        async with raw_server(heard.answering(http(completion("Hi.")))) as port:
            monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
            monkeypatch.setenv("NO_PROXY", spared.format(port=port))
            assert await asked(f"http://127.0.0.1:{port}/v1") == "Hi."

    asyncio.run(go())
    assert heard.lines == ["POST /v1/chat/completions HTTP/1.1"]


def test_the_fine_tuning_client_takes_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard()
    monkeypatch.setenv("LAB_KEY", SECRET)

    async def go() -> None:
        async with raw_server(
            heard.answering(http(b'{"id": "file-1", "filename": "x.jsonl"}'))
        ) as port:
            monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
            spec = EndpointSpec(
                name="lab",
                base_url=f"http://{HOST}/v1",
                headers={"api-key": "${LAB_KEY}"},
                key_over_http=True,
            )
            async with aclosing(FineTuningClient(spec, "m")) as client:
                assert (await client.upload("x.jsonl", b"x")).id == "file-1"

    asyncio.run(go())
    assert heard.lines == [f"POST http://{HOST}/v1/files HTTP/1.1"]
    assert heard.headers[0]["api-key"] == SECRET


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("reply", "cause", "fatal"),
    [
        (None, "connection", False),
        (b"HTTP/1.1 407 Who {login}\r\ncontent-length: 0\r\n\r\n", "credentials", True),
        (b"garbage {login}\r\n\r\n", "connection", False),
        (b"", "timeout", False),
    ],
    ids=["gone", "wants another password", "talks of the password", "says nothing"],
)
def test_the_password_of_a_proxy_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, scheme: str, reply: bytes | None, cause: str, *, fatal: bool
) -> None:
    async def go() -> ModelError:
        answer = (reply or b"").replace(b"{login}", f"{LOGIN} me:{PASSWORD}".encode())
        async with raw_server(Heard().answering(answer)) as port:
            place = "127.0.0.1:9" if reply is None else f"127.0.0.1:{port}"
            monkeypatch.setenv(f"{scheme.upper()}_PROXY", f"http://{LOGIN}{place}")
            seconds = 0.3 if cause == "timeout" else 20.0
            error = await failed(f"{scheme}://{HOST}/v1", timeout_s=seconds)
            assert f"through the proxy http://{place}" in str(error)
            return error

    error = asyncio.run(go())
    assert (error.cause, error.fatal) == (cause, fatal)
    for secret in (PASSWORD, LOGIN[:-1], PASSWORD.partition("/")[2]):
        assert secret not in said(error)
    assert ("NAME:PASSWORD" in str(error)) == fatal


def test_a_proxy_that_forbids_a_host_is_told_from_one_in_trouble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def go(status: str) -> ModelError:
        refusal = http(b"", status=status)
        async with raw_server(Heard().answering(refusal)) as port:
            monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
            return await failed(f"https://{HOST}/v1")

    forbidden, down = asyncio.run(go("403 Forbidden")), asyncio.run(go("503 Busy"))
    assert (forbidden.cause, forbidden.fatal, forbidden.tries) == ("connection", True, 1)
    assert "403 Forbidden" in str(forbidden)
    assert (down.cause, down.fatal, down.tries) == ("connection", False, 2)


@pytest.mark.parametrize(
    "proxy", [f"socks5://{LOGIN}127.0.0.1:1080", f"http://{LOGIN}127.0.0.1:port", f"http://{LOGIN}"]
)
def test_what_is_no_http_proxy_is_refused_before_any_call(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(ConfigError, match=r'HTTPS_PROXY: expected .*"lab".*NO_PROXY') as caught:
        Endpoint(EndpointSpec(name="lab"))
    assert "w0rd" not in said(caught.value)
    Endpoint(EndpointSpec(name="lab", base_url=f"http://{HOST}/v1"))
    monkeypatch.setenv("NO_PROXY", "api.openai.com:443")
    Endpoint(EndpointSpec(name="lab"))


# ---------------------------------------------------------------- TLS


@dataclass(frozen=True)
class Certificate:
    """One that signs itself, for HOST and 127.0.0.1, and its key."""

    file: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.file, self.key)
        return context


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    made = Certificate(folder / "cert.pem", folder / "key.pem")
    command = [
        *("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=lab"),
        *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-keyout", str(made.key), "-out", str(made.file)),
        *("-addext", f"subjectAltName=IP:127.0.0.1,DNS:{HOST}"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return made


@pytest.mark.parametrize("named_by", ["ca_bundle", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_a_certificate_that_is_named_is_trusted(
    monkeypatch: pytest.MonkeyPatch, certificate: Certificate, named_by: str
) -> None:
    spec: dict[str, Any] = {}
    if named_by == "ca_bundle":
        spec["ca_bundle"] = certificate.file
    else:
        monkeypatch.setenv(named_by, str(certificate.file))

    async def go() -> str:
        reply = Heard().answering(http(completion("Hi.")))
        async with raw_server(reply, certificate.context()) as port:
            return await asked(f"https://127.0.0.1:{port}/v1", **spec)

    assert asyncio.run(go()) == "Hi."


def test_a_certificate_that_nobody_vouches_for_is_refused_with_what_to_do(
    certificate: Certificate,
) -> None:
    heard = Heard()

    async def go() -> ModelError:
        async with raw_server(heard.answering(b""), certificate.context()) as port:
            return await failed(f"https://127.0.0.1:{port}/v1")

    error = asyncio.run(go())
    assert (error.cause, error.fatal, error.tries) == ("connection", True, 1)
    assert "certificate" in str(error)
    assert "ca_bundle" in str(error)
    assert "base URL" not in str(error)
    assert heard.lines == []


def test_a_certificate_of_another_host_is_refused(certificate: Certificate) -> None:
    async def go() -> ModelError:
        async with (
            raw_server(Heard().answering(b""), certificate.context()) as port,
            raw_server(Heard().tunnel_to(port)) as proxy_port,
        ):
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy_port}")
                return await failed("https://other.invalid", ca_bundle=certificate.file)

    error = asyncio.run(go())
    assert error.fatal
    assert "not valid for 'other.invalid'" in str(error)


def test_a_server_without_tls_is_told_so() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(http(b"what?", status="400 Bad Request"))

    async def go() -> ModelError:
        async with raw_server(serve) as port:
            return await failed(f"https://127.0.0.1:{port}/v1")

    error = asyncio.run(go())
    assert error.cause == "connection"
    assert "does the server speak TLS" in str(error)


@pytest.mark.parametrize("content", [None, "no certificate", ""])
def test_a_file_without_certificates_is_refused_before_any_call(
    tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match=r'"lab": ca_bundle: expected .*\(PEM\), found .*ca.pem'):
        Endpoint(EndpointSpec(name="lab", ca_bundle=file))


# ---------------------------------------------------------------- headers


def test_headers_are_sent_with_their_secrets_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAB_KEY", SECRET)
    heard = Heard()
    headers = {
        "X-Api-Key": "${LAB_KEY}",
        "Authorization": "Api-Key ${LAB_KEY}",
        "openai-project": "p $1 {LAB_KEY}",
    }

    async def go() -> None:
        async with raw_server(heard.answering(http(completion("Hi.")))) as port:
            await asked(f"http://127.0.0.1:{port}", headers=headers, key_env="LAB_KEY")

    asyncio.run(go())
    (sent,) = heard.headers
    assert sent["x-api-key"] == SECRET
    assert sent["authorization"] == f"Api-Key {SECRET}"
    assert sent["openai-project"] == "p $1 {LAB_KEY}"
    assert sent["content-type"] == "application/json"


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "401 No", "500 Oops"])
def test_a_server_that_repeats_a_header_does_not_get_it_into_an_error(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setenv("LAB_KEY", SECRET)
    given = {"x-api-key": "${LAB_KEY}", "cf-access": "Basic ${LAB_KEY}=", "x-lab": "lab seven"}

    async def parrot(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            _, headers, _ = await request(reader)
            writer.write(http(f"what are {headers} about?".encode(), status=status))

    async def go() -> ModelError:
        async with raw_server(parrot) as port:
            return await failed(f"http://127.0.0.1:{port}", headers=given)

    error = asyncio.run(go())
    assert "[secret]" in str(error) or status == "200 OK"
    for hidden in (SECRET, SECRET[:12], "lab seven"):
        assert hidden not in said(error)


@pytest.mark.parametrize("shown", [8, 12, 20])
def test_a_header_that_is_cut_where_an_error_ends_is_not_shown_in_part(
    monkeypatch: pytest.MonkeyPatch, shown: int
) -> None:
    monkeypatch.setenv("LAB_KEY", SECRET)
    told = "Bad status line: Expected HTTP/, RTSP/ or ICE/: b'"
    garbage = "." * (200 - len(told) - shown) + SECRET

    async def go() -> ModelError:
        async with raw_server(Heard().answering(f"{garbage}\r\n\r\n".encode())) as port:
            headers = {"x-api-key": "${LAB_KEY}"}
            return await failed(f"http://127.0.0.1:{port}", headers=headers)

    error = asyncio.run(go())
    assert "....[secret" in str(error)
    assert SECRET[:5] not in said(error)


@pytest.mark.parametrize("way", [{"key_env": "LAB_KEY"}, {"headers": {"x-lab": "${LAB_KEY}"}}])
def test_no_key_leaves_the_machine_in_clear_unless_that_is_said(
    monkeypatch: pytest.MonkeyPatch, way: dict[str, Any]
) -> None:
    monkeypatch.setenv("LAB_KEY", SECRET)
    for address in ("http://lab.example/v1", "http://10.0.0.7:8000/v1", "http://[fe80::1]/v1"):
        with pytest.raises(ConfigError, match=r"unencrypted to http://.*key_over_http = true") as e:
            Endpoint(EndpointSpec(name="lab", base_url=address, **way))
        assert SECRET not in said(e.value)
        Endpoint(EndpointSpec(name="lab", base_url=address, key_over_http=True, **way))
    for address in (
        "https://lab.example/v1", "http://127.0.0.1:9/v1", "http://127.8.8.8/v1",
        "http://[::1]:9/v1", "http://localhost/v1",
    ):  # fmt: skip
        Endpoint(EndpointSpec(name="lab", base_url=address, **way))
    monkeypatch.setenv("LAB_KEY", "EMPTY")  # as servers without keys are given
    Endpoint(EndpointSpec(name="lab", base_url="http://10.0.0.7:8000/v1", **way))


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"x-api-key": SECRET}, r'"x-api-key" holds a secret.*"x-api-key" = "\$\{NAME\}"'),
        ({"Authorization": f"Bearer {SECRET}"}, '"Authorization" holds a secret'),
        ({"x-api-key": "${UNSET}"}, '"x-api-key" from the environment variable UNSET.*not set'),
        ({"x-api-key": "${ODD}"}, "ODD, expected printable ASCII"),
        ({"x-lab": f"{SECRET}\r\nx-evil: 1"}, "expected printable ASCII"),
        ({"x lab": SECRET}, '"x lab" cannot be set'),
        ({"content-length": "5"}, '"content-length" cannot be set'),
        ({"Host": "elsewhere"}, '"Host" cannot be set'),
    ],
)
def test_headers_that_cannot_be_sent_are_refused_before_any_call_without_their_values(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], reason: str
) -> None:
    monkeypatch.delenv("UNSET", raising=False)
    monkeypatch.setenv("ODD", f"{SECRET}\nx-evil: 1")
    with pytest.raises(ConfigError, match=reason) as caught:
        Endpoint(EndpointSpec(name="lab", headers=headers))
    assert SECRET[:12] not in said(caught.value)


def test_the_description_of_an_endpoint_does_not_show_its_headers() -> None:
    spec = EndpointSpec(name="lab", headers={"x-lab": SECRET})
    assert SECRET not in f"{spec} {spec!r} {spec.model_dump()} {spec.model_dump_json()}"


# ---------------------------------------------------------------- imports


def test_nothing_that_calls_no_model_loads_the_http_library() -> None:
    code = """
import sys
from sociolab.app.players.models import Models
from sociolab.app.players.models import parse
from sociolab.app.run.config import RunConfig
from sociolab.models import chat, finetuning
spec = parse("openai/x", "agent")
Models(RunConfig(base_url="http://127.0.0.1:9", agents=("scripted",))).open(spec)
assert "aiohttp" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
