"""What a program does with the Python client, against the hub of test/clients/clients.test.ts. Prints what it saw as JSON."""

import json
import os

from svc_client import ApiError, ApprovalPending, CommandFailed, SvcClient, SvcError

key = os.environ["SVC_API_KEY"]
username = os.environ["SVC_USERNAME"]
svc = SvcClient(os.environ["SVC_BASE_URL"], api_key=key, username=username)
unreliable = SvcClient(os.environ["SVC_UNRELIABLE_URL"], api_key=key, username=username)
former = SvcClient(os.environ["SVC_BASE_URL"], api_key=key, username=os.environ["SVC_FORMER_USERNAME"])
redirecting = SvcClient(os.environ["SVC_REDIRECTING_URL"], api_key=key, username=username)
anonymous = SvcClient(os.environ["SVC_BASE_URL"])


def caught(kind, work):
    try:
        work()
    except kind as error:
        return error
    return None


def texts(events):
    return [event["data"] if event["type"] == "output" else event["type"] for event in events]


hello = svc.call("hello", {"name": "Ädä & Co"})
started = svc.start("waits")
execution_id = started["execution_id"]
cancelled = svc.cancel(execution_id)
cancelled_events = list(svc.follow(started))
pending = caught(ApprovalPending, lambda: svc.call("guarded"))
failed = caught(CommandFailed, lambda: svc.call("fails", check=True))
missing = caught(ApiError, lambda: svc.call("nothing"))

print(
    json.dumps(
        {
            "hello": hello["output"],
            "byGet": svc.call(f"{username}/by-get", {"name": "x y", "times": 2})["output"],
            "fails": svc.call("fails")["exit_code"],
            "checked": failed.result["exit_code"],
            "missing": [missing.status, missing.code],
            "pending": pending.approval["status"],
            "stdin": svc.call("sum", stdin=b"abc")["output"],
            "run": [step["output"] for step in svc.call("ship")["steps"]],
            "cancelled": [
                cancelled["execution_id"] == execution_id,
                cancelled_events[-1]["type"],
                svc.execution(execution_id)["status"],
            ],
            "counted": texts(unreliable.stream("count", {"to": 5})),
            "once": unreliable.call("once")["output"],
            "anonymous": texts(anonymous.stream(f"{username}/open")),
            "executions": [one["status"] for one in svc.executions(endpoint="fails")],
            "list": sorted(one["name"] for one in svc.list()),
            "former": [
                former.call("hello", {"name": "Ada"})["output"],
                former.call("by-get", {"name": "x", "times": 2})["output"],
                former.call("sum", stdin=b"abc")["output"],
                len(list(former.list())),
            ],
            "redirected": [
                str(caught(SvcError, lambda slug=slug: redirecting.call(slug)) or "followed")
                for slug in ("elsewhere", "again", "found")
            ],
        }
    )
)
