"""Calls endpoints of svc: streaming, with safe retries, on the standard library."""

from .client import SvcClient
from .errors import ApiError, ApprovalPending, CommandFailed, SvcConnectionError, SvcError

__all__ = ["ApiError", "ApprovalPending", "CommandFailed", "SvcClient", "SvcConnectionError", "SvcError"]
__version__ = "0.1.0"
