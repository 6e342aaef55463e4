"""Requests to one service with one credential, tried again while a failure may pass."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Optional, TypeVar, Union
from urllib.parse import SplitResult, urljoin, urlsplit

from .errors import ApiError, SvcConnectionError, SvcError

Result = TypeVar("Result")

_FIRST_PAUSE_S = 0.25
_MAX_PAUSE_S = 10.0
# The service asks for a longer pause only when a quota is used up.
_MAX_RETRY_AFTER_S = 60
_REDIRECTS = (301, 302, 303, 307, 308)
_PORTS = {"http": 80, "https": 443}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """`urllib` would take the key to another server."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Redirect:
    """A redirect that may be followed with the key. Raises a SvcError for another one."""

    def __init__(self, url: str, status: int, location: str) -> None:
        base = urlsplit(url)
        origin = f"{base.scheme}://{base.netloc}"
        target = _joined(url, location)
        if status != 308 or target is None or _origin(target) != _origin(base):
            raise SvcError(f'{url} redirects to "{location}" with {status}: only 308 at {origin} is followed')
        self.target = origin + target.path + (f"?{target.query}" if target.query else "")


class Transport:
    def __init__(
        self,
        base_url: str,
        api_key: Optional[str],
        access_token: Optional[str],
        max_retries: int,
        timeout: float,
    ) -> None:
        base = urlsplit(base_url)
        if base.scheme not in ("http", "https") or not base.netloc:
            raise ValueError(f'base_url "{base_url}": https://host expected')
        self.max_retries = max_retries
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._credential: dict[str, str] = {}
        if api_key is not None:
            self._credential = {"X-API-Key": api_key}
        elif access_token is not None:
            self._credential = {"Authorization": f"Bearer {access_token}"}
        self._opener = urllib.request.build_opener(_NoRedirect)

    @property
    def has_credential(self) -> bool:
        return bool(self._credential)

    def ask(
        self,
        path: str,
        method: str = "GET",
        headers: Optional[dict[str, str]] = None,
        body: Optional[bytes] = None,
    ) -> http.client.HTTPResponse:
        """One request. Raises an ApiError for a refusal and a SvcConnectionError without an answer.

        The service redirects from a former username to the present one: this is followed once, and only at the same server.
        """
        url = self._base_url + path
        all_headers = {"User-Agent": "svc-client-python", **self._credential, **(headers or {})}
        answer = self._send(url, method, all_headers, body)
        if isinstance(answer, _Redirect):
            target = answer.target
            answer = self._send(target, method, all_headers, body)
            if isinstance(answer, _Redirect):
                raise SvcError(f"{url} redirects to {target}, which redirects again")
        return answer

    def _send(
        self, url: str, method: str, headers: dict[str, str], body: Optional[bytes]
    ) -> Union[http.client.HTTPResponse, _Redirect]:
        request = urllib.request.Request(url, data=body, method=method, headers=headers)
        try:
            return self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                if error.code in _REDIRECTS:
                    return _Redirect(url, error.code, error.headers.get("Location") or "")
                refused = ApiError(error.code, self.read(error), error.headers)
                refused.allow = error.headers.get("Allow")  # type: ignore[attr-defined]
            raise refused from None
        except (OSError, http.client.HTTPException) as error:
            raise SvcConnectionError(f"{method} {url} failed: {error}") from error

    @staticmethod
    def read(response: Any) -> bytes:
        try:
            return response.read()
        except (OSError, http.client.HTTPException) as error:
            raise SvcConnectionError(f"the answer is not complete: {error}") from error

    @classmethod
    def read_json(cls, response: Any) -> dict[str, Any]:
        """The object of an answer. A page of a proxy is none."""
        try:
            value = json.loads(cls.read(response))
        except ValueError as error:
            raise SvcConnectionError(f"the answer is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise SvcConnectionError("the answer is no JSON object")
        return value

    def json(self, path: str, method: str = "GET") -> Any:
        """The JSON of an answer: only for requests that may arrive twice."""

        def attempt() -> Any:
            with self.ask(path, method, {"Accept": "application/json"}) as response:
                return self.read_json(response)

        return self.retried(attempt)

    def retried(self, attempt: Callable[[], Result]) -> Result:
        failures = 0
        while True:
            try:
                return attempt()
            except SvcError as error:
                if failures >= self.max_retries:
                    raise
                self.pause_after(error, failures)
            failures += 1

    def pause_after(self, error: SvcError, failures: int) -> None:
        """Waits before the next attempt. Raises an error after which there is none."""
        if not _may_pass(error):
            raise error
        asked = getattr(error, "retry_after_sec", None)
        # A random part of the pause spreads the next attempts of callers that failed at the same moment.
        own = min(_FIRST_PAUSE_S * 2**failures, _MAX_PAUSE_S) * (0.5 + random.random() / 2)
        time.sleep(own if asked is None else asked)


def _joined(url: str, location: str) -> Optional[SplitResult]:
    try:
        parts = urlsplit(urljoin(url, location))
        # Reads the port, which may be wrong, too.
        _origin(parts)
        return parts
    except ValueError:
        return None


def _origin(parts: SplitResult) -> tuple[str, Optional[str], Optional[int]]:
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _may_pass(error: SvcError) -> bool:
    if isinstance(error, SvcConnectionError):
        return True
    if not isinstance(error, ApiError):
        return False
    # Without a credential the first execution cannot be followed.
    if error.code == "idempotency_in_progress":
        return True
    if error.status == 429:
        return error.code != "quota_exceeded" and (error.retry_after_sec or 0) <= _MAX_RETRY_AFTER_S
    # Without a code the answer comes from a proxy in front of the service.
    return error.status == 503 or (error.status in (502, 504) and error.code == "unknown")
