"""Calls endpoints and pipelines of svc. Only the standard library is needed."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import uuid
from typing import Any, Callable, Iterator, Mapping, Optional, Union
from urllib.parse import quote, urlencode

from . import api_types as api
from .errors import ApiError, ApprovalPending, CommandFailed, SvcConnectionError
from .transport import Transport

Started = Union[api.AcceptedExecution, api.AcceptedRun]
OnApproval = Callable[[api.PendingCall], None]

_KNOWN = {"output", "transformed_output", "done", "error"}


class SvcClient:
    """A client of one service with one credential.

    base_url      where the API answers, such as https://svc.example.com
    api_key       svc_sk_…, for calls; public endpoints need none
    access_token  svc_pat_… of a member, instead of a key
    username      the owner of endpoints that are named without one
    max_retries   how often a request is tried again after a failure that may pass
    timeout       seconds without a byte after which a connection counts as broken
    """

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        access_token: Optional[str] = None,
        username: Optional[str] = None,
        max_retries: int = 5,
        timeout: float = 150,
    ) -> None:
        self._username = username
        self._transport = Transport(base_url, api_key, access_token, max_retries, timeout)

    def call(
        self,
        target: str,
        values: Optional[Mapping[str, Any]] = None,
        *,
        check: bool = False,
        stdin: Optional[bytes] = None,
        idempotency_key: Optional[str] = None,
        on_approval: Optional[OnApproval] = None,
    ) -> Union[api.CallResult, api.RunResult]:
        """Calls an endpoint or a pipeline and waits for its result, however long it takes.

        The command runs once, also if requests or answers are lost on the way. Raises an ApiError without a result,
        ApprovalPending if a person has to approve, CommandFailed with `check` for another exit code than 0, and a
        SvcConnectionError if the service stays away.
        """
        request = _CallRequest(self, target, values or {}, stdin, idempotency_key, on_approval)
        while True:
            result, stream = request.send({})
            if stream is None:
                if check and result["exit_code"] != 0:
                    raise CommandFailed(result)
                return result
            # Waits for the end of the stream. The repeated request then gets the result.
            for _ in self._events(stream, None):
                pass

    def start(
        self,
        target: str,
        values: Optional[Mapping[str, Any]] = None,
        *,
        stdin: Optional[bytes] = None,
        idempotency_key: Optional[str] = None,
        on_approval: Optional[OnApproval] = None,
    ) -> Started:
        """Starts an endpoint or a pipeline and returns at once. `follow` reads its events, `execution` its result."""
        request = _CallRequest(self, target, values or {}, stdin, idempotency_key, on_approval)
        answer, stream = request.send({"Prefer": "respond-async"})
        return {**answer, "stream_url": stream or _stream_path(answer)}

    def stream(
        self, target: str, values: Optional[Mapping[str, Any]] = None, **options: Any
    ) -> Iterator[api.ExecutionEvent]:
        """Calls an endpoint or a pipeline and yields its events as they come, the last one `done` or `error`.

        A broken connection is resumed after the last event. The options are those of `start`.
        """
        return self.follow(self.start(target, values, **options))

    def follow(self, started: Union[Started, str], after: Optional[str] = None) -> Iterator[api.ExecutionEvent]:
        """The events until the end: of what `start` returned, or of an execution by its id. Each has an `id`."""
        path = _stream_path({"execution_id": started} if isinstance(started, str) else started)
        if path is None:
            raise ValueError("follow: an execution or a run expected")
        return self._events(path, after)

    def execution(self, execution_id: str) -> api.ExecutionWithResult:
        """An execution as it is now, with its result once it has ended."""
        return self._transport.json(f"/executions/{quote(execution_id, safe='')}")

    def executions(self, **filters: str) -> Iterator[api.ListedExecution]:
        """The executions of this key, or of the workspace of the member; the newest first.

        Filters: `endpoint`, `status`, `since` and `until` (RFC 3339 times).
        """
        if "since" in filters:
            filters["from"] = filters.pop("since")
        return self._items("/executions", filters)

    def cancel(self, execution_id: str) -> api.ListedExecution:
        """Stops the command of an execution. One that has ended stays as it is."""
        return self._transport.json(f"/executions/{quote(execution_id, safe='')}/cancel", "POST")

    def list(self, username: Optional[str] = None) -> Iterator[api.Callable]:
        """The endpoints and pipelines of a user that this credential may call."""
        owner = username or self._username
        if owner is None:
            raise ValueError("list: a username expected")
        return self._items(f"/v1/{quote(owner, safe='')}", {})

    def _items(self, path: str, query: Mapping[str, str]) -> Iterator[Any]:
        cursor: Optional[str] = None
        while True:
            page = self._transport.json(path + _query({**query, "cursor": cursor}))
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def _events(self, path: str, after: Optional[str]) -> Iterator[Any]:
        last, failures = after, 0
        while True:
            try:
                headers = {"Accept": "text/event-stream"}
                if last is not None:
                    headers["Last-Event-ID"] = last
                with self._transport.ask(path, headers=headers) as response:
                    if response.status == 204:
                        return
                    for event in _events_of(response):
                        # The service is there, so the failures count from zero again, however long the command is silent.
                        failures = 0
                        if event is None:
                            continue
                        last = event["id"] or last
                        is_whole = "step" not in event
                        # The response ended, and not the command.
                        if is_whole and event["type"] == "error" and event.get("code") == "still_running":
                            break
                        yield event
                        if is_whole and event["type"] in ("done", "error"):
                            return
                raise SvcConnectionError("the stream ended before the command did")
            except (ApiError, SvcConnectionError) as error:
                if failures >= self._transport.max_retries:
                    raise
                self._transport.pause_after(error, failures)
                failures += 1


class _CallRequest:
    """A call that may be sent again: each request has the same Idempotency-Key, so the command runs once."""

    def __init__(
        self,
        client: SvcClient,
        target: str,
        values: Mapping[str, Any],
        stdin: Optional[bytes],
        idempotency_key: Optional[str],
        on_approval: Optional[OnApproval],
    ) -> None:
        self._transport = client._transport
        self._path = _call_path(target, client._username)
        self._values = values
        self._stdin = stdin
        self._key = idempotency_key or str(uuid.uuid4())
        self._on_approval = on_approval
        self._method = "POST"
        self._known_approval: Optional[str] = None

    def send(self, prefer: Mapping[str, str]) -> tuple[Any, Optional[str]]:
        """Sends the call until it is accepted or refused. Returns the answer, and the stream of what has not ended."""

        def attempt() -> tuple[Any, Optional[str]]:
            try:
                with self._ask(prefer) as response:
                    body = self._transport.read_json(response)
                    return self._answered(response.status, body)
            except ApiError as error:
                earlier = {"execution_id": error.execution_id, "run_id": error.run_id, "status": "running"}
                path = _stream_path(earlier)
                if error.code != "idempotency_in_progress" or path is None or not self._transport.has_credential:
                    raise
                return {name: value for name, value in earlier.items() if value is not None}, path

        return self._transport.retried(attempt)

    def _ask(self, prefer: Mapping[str, str]) -> http.client.HTTPResponse:
        try:
            return self._send(prefer)
        except ApiError as error:
            # A refused method has run nothing.
            if error.status != 405 or self._method == "GET" or getattr(error, "allow", None) != "GET":
                raise
            self._method = "GET"
            return self._send(prefer)

    def _send(self, prefer: Mapping[str, str]) -> http.client.HTTPResponse:
        headers = {"Accept": "application/json", "Idempotency-Key": self._key, **prefer}
        if self._stdin is not None:
            digest = base64.b64encode(hashlib.sha256(self._stdin).digest()).decode()
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Digest"] = f"sha-256=:{digest}:"
            return self._transport.ask(self._path + _query(self._values), "POST", headers, self._stdin)
        if self._method == "GET":
            return self._transport.ask(self._path + _query(self._values), "GET", headers)
        headers["Content-Type"] = "application/json"
        return self._transport.ask(self._path, "POST", headers, json.dumps(dict(self._values)).encode())

    def _answered(self, status: int, body: Any) -> tuple[Any, Optional[str]]:
        if status != 202:
            return body, None
        if body.get("status") == "pending_approval":
            self._report_approval(body)
        path = _stream_path(body)
        if path is None:
            raise ApiError(status, json.dumps({"error": body.get("message"), "code": "ignored"}).encode(), {})
        return body, path

    def _report_approval(self, approval: Any) -> None:
        if self._on_approval is None:
            raise ApprovalPending(approval)
        if self._known_approval != approval["approval_id"]:
            self._known_approval = approval["approval_id"]
            self._on_approval(approval)


def _call_path(target: str, username: Optional[str]) -> str:
    parts = (target if "/" in target else f"{username or ''}/{target}").split("/")
    if len(parts) != 2 or "" in parts:
        raise ValueError(f'endpoint "{target}": write username/name, or give the client a username')
    return f"/v1/{quote(parts[0], safe='')}/{quote(parts[1], safe='')}"


def _stream_path(ids: Mapping[str, Any]) -> Optional[str]:
    """The path of a stream. The service may know itself by another address, so only the read token of its URL is used."""
    _, mark, query = (ids.get("stream_url") or "").partition("?")
    if ids.get("run_id") is not None:
        return f"/pipeline-runs/{quote(ids['run_id'], safe='')}/stream{mark}{query}"
    if ids.get("execution_id") is not None:
        return f"/executions/{quote(ids['execution_id'], safe='')}/stream{mark}{query}"
    return None


def _query(values: Mapping[str, Any]) -> str:
    """The values in a query, where everything is text; a list becomes its items."""
    pairs = []
    for name, value in values.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, (dict, list, tuple)):
                raise TypeError(f"{name}: a query has only text values")
            if item is not None:
                pairs.append((name, str(item).lower() if isinstance(item, bool) else str(item)))
    return f"?{urlencode(pairs)}" if pairs else ""


def _events_of(response: http.client.HTTPResponse) -> Iterator[Any]:
    """The events of a stream, and None for each line, which may be a comment that keeps the connection open."""
    if not (response.headers.get("Content-Type") or "").startswith("text/event-stream"):
        raise SvcConnectionError("the answer is no event stream")
    event_id, data = "", []
    while True:
        try:
            line = response.readline()
        except (OSError, http.client.HTTPException) as error:
            raise SvcConnectionError(f"the stream broke off: {error}") from error
        if line == b"":
            return
        yield None
        text = line.decode().rstrip("\n")
        if text.startswith("id:"):
            event_id = text[3:].removeprefix(" ")
        elif text.startswith("data:"):
            data.append(text[5:].removeprefix(" "))
        elif text == "":
            if data:
                event = json.loads("\n".join(data))
                # A newer service may send more.
                if event.get("type") in _KNOWN:
                    yield {"id": event_id, **event}
            event_id, data = "", []
