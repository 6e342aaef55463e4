"""What goes wrong: every error of this package is a SvcError."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional


class SvcError(Exception):
    """Every error of this client."""


class SvcConnectionError(SvcError):
    """The service could not be reached, or its answer broke off."""


class ApiError(SvcError):
    """The service refuses the request, or the execution has no result.

    `code` is `agent_offline`, `rate_limited`, `timeout` and so on; `unknown` if the answer names none.
    """

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        fields = _object(body)
        message = fields.get("error")
        super().__init__(message if isinstance(message, str) else f"the service answered with status {status}")
        self.status = status
        self.code: str = fields["code"] if isinstance(fields.get("code"), str) else "unknown"
        self.details: dict[str, Any] = fields["details"] if isinstance(fields.get("details"), dict) else {}
        self.execution_id: Optional[str] = fields.get("execution_id") or self.details.get("execution_id")
        self.run_id: Optional[str] = fields.get("run_id") or self.details.get("run_id")
        retry_after = headers.get("Retry-After") or ""
        self.retry_after_sec: Optional[int] = int(retry_after) if retry_after.isdecimal() else None


class ApprovalPending(SvcError):
    """The call waits for a person. With `on_approval`, `call` waits instead."""

    def __init__(self, approval: dict[str, Any]) -> None:
        super().__init__(approval["message"])
        self.approval = approval


class CommandFailed(SvcError):
    """The command ended with another exit code than 0, and the call asked for `check`."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(f"the command ended with exit code {result['exit_code']}")
        self.result = result


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
