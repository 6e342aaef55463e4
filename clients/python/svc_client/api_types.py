# Made from the OpenAPI document by `npm run docs`: do not edit.
"""The shapes of answers and events."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


ExecutionStatus = Literal["pending_approval", "queued", "running", "succeeded", "failed", "timed_out", "cancelled", "lost", "denied", "expired", "missed", "rejected"]


class AcceptedExecution(TypedDict):
    """An execution that continues without its caller."""

    execution_id: str
    status: ExecutionStatus
    status_url: str
    stream_url: str


class PendingStep(TypedDict):
    status: Literal["pending_approval"]
    execution_id: str
    approval_id: str
    approve_url: str
    message: str
    expires_in_mins: int
    step: str


class AcceptedRun(TypedDict):
    """A pipeline run that continues without its caller."""

    run_id: str
    status: Literal["queued", "running", "waiting_approval", "succeeded", "failed", "cancelled"]
    status_url: str
    stream_url: str
    approvals: NotRequired[list[PendingStep]]


class CallResult(TypedDict):
    """The result of a command."""

    output: NotRequired[str]
    encoding: NotRequired[Literal["base64"]]
    data: NotRequired[Any]
    exit_code: int
    execution_id: str
    truncated: NotRequired[Literal[True]]
    output_url: NotRequired[str]


class Callable(TypedDict):
    """An endpoint or pipeline that the caller may call."""

    kind: Literal["endpoint", "pipeline"]
    name: str
    url: str
    description: Union[str, None]
    methods: list[Literal["GET", "POST"]]
    public: bool
    approval_required: bool
    stdin: NotRequired[Literal["body"]]
    result: Literal["output", "data", "steps"]
    tags: NotRequired[list[str]]
    data_schema: NotRequired[dict[str, Any]]
    arguments: dict[str, Any]


ErrorEventCode = Literal["invalid_argument", "invalid_json", "unsupported_media_type", "payload_too_large", "unauthorized", "forbidden", "second_factor_required", "not_found", "execution_not_open", "method_not_allowed", "slug_taken", "managed_by_config", "version_conflict", "precondition_failed", "key_revoked", "username_taken", "username_chosen", "username_gone", "idempotency_in_progress", "idempotency_mismatch", "link_used", "link_expired", "link_withdrawn", "stale", "approval_closed", "approval_denied", "approval_expired", "already_member", "already_invited", "seat_limit_reached", "secret_not_set", "secret_not_allowed", "limit_reached", "plan_limit", "quota_exceeded", "concurrency_limited", "rate_limited", "not_supported", "agent_offline", "agent_refused", "spawn_failed", "timeout", "lost", "cancelled", "transform_failed", "step_failed", "unavailable", "internal_error", "still_running"]


class OutputEvent(TypedDict):
    type: Literal["output"]
    step: NotRequired[str]
    stream: NotRequired[Literal["stderr"]]
    encoding: NotRequired[Literal["base64"]]
    data: str


class TransformedOutputEvent(TypedDict):
    type: Literal["transformed_output"]
    step: NotRequired[str]
    data: Any


class DoneEvent(TypedDict):
    type: Literal["done"]
    step: NotRequired[str]
    exit_code: int
    duration_ms: int


class ErrorEvent(TypedDict):
    type: Literal["error"]
    step: NotRequired[str]
    error: str
    code: NotRequired[ErrorEventCode]
    execution_id: NotRequired[str]
    run_id: NotRequired[str]


ExecutionEvent = Union[OutputEvent, TransformedOutputEvent, DoneEvent, ErrorEvent]


class ExecutionWithResultFilesItem(TypedDict):
    argument: str
    name: NotRequired[str]
    bytes: int
    type: str
    sha256: str


class ExecutionWithResult(TypedDict):
    """An execution, with its result once it has ended."""

    execution_id: str
    endpoint: str
    status: ExecutionStatus
    reason: NotRequired[Literal["agent_offline", "quota", "stale", "refused", "hub_restart", "hub_down", "overlap"]]
    scheduled_for: NotRequired[str]
    missed_fires: NotRequired[int]
    late: NotRequired[Literal[True]]
    trigger: Literal["call", "dashboard", "schedule", "pipeline", "mcp", "choices"]
    run_id: NotRequired[str]
    step: NotRequired[str]
    exit_code: NotRequired[int]
    duration_ms: NotRequired[int]
    error: NotRequired[str]
    code: NotRequired[str]
    created_at: str
    started_at: Any
    ended_at: Any
    agent_name: Union[str, None]
    endpoint_version: Any
    status_url: str
    stream_url: str
    requested_by: str
    args: dict[str, Union[str, None]]
    files: NotRequired[list[ExecutionWithResultFilesItem]]
    output: NotRequired[str]
    encoding: NotRequired[Literal["base64"]]
    data: NotRequired[Any]
    line_times: NotRequired[list[list[Any]]]
    truncated: NotRequired[Literal[True]]


class PendingCall(TypedDict):
    """A call that waits for approval. Nothing runs yet."""

    status: Literal["pending_approval"]
    execution_id: str
    approval_id: str
    approve_url: str
    message: str
    expires_in_mins: int


class ListedExecution(TypedDict):
    execution_id: str
    endpoint: str
    status: ExecutionStatus
    reason: NotRequired[Literal["agent_offline", "quota", "stale", "refused", "hub_restart", "hub_down", "overlap"]]
    scheduled_for: NotRequired[str]
    missed_fires: NotRequired[int]
    late: NotRequired[Literal[True]]
    trigger: Literal["call", "dashboard", "schedule", "pipeline", "mcp", "choices"]
    run_id: NotRequired[str]
    step: NotRequired[str]
    exit_code: NotRequired[int]
    duration_ms: NotRequired[int]
    error: NotRequired[str]
    code: NotRequired[str]
    created_at: str
    started_at: Any
    ended_at: Any
    agent_name: Union[str, None]
    endpoint_version: Any
    status_url: str
    stream_url: str
    requested_by: str
    caller_id: NotRequired[str]
    args: NotRequired[dict[str, Union[str, None]]]
    output_line: NotRequired[str]


class RunResultStepsItem(TypedDict):
    step: str
    status: Literal["queued", "running", "waiting_approval", "succeeded", "failed", "cancelled", "skipped"]
    attempt: int
    execution_id: NotRequired[str]
    exit_code: NotRequired[int]
    error: NotRequired[str]
    output: NotRequired[str]
    data: NotRequired[Any]
    truncated: NotRequired[Literal[True]]
    output_url: NotRequired[str]


class RunResult(TypedDict):
    """The result of a pipeline run, step by step."""

    run_id: str
    status: Literal["queued", "running", "waiting_approval", "succeeded", "failed", "cancelled"]
    exit_code: int
    duration_ms: int
    steps: list[RunResultStepsItem]
