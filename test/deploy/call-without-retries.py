"""Calls an endpoint all the time, from several threads, and tries nothing again. Half of the threads keep their connection, and
look whether it was closed before they use it, as pools of connections do; the others open one for each call.

  call-without-retries.py URL KEY THREADS

It prints `called` after the first call of all threads. When its standard input ends, it prints one line of JSON: how many calls
there were, the longest in seconds, and how each failed one failed.
"""

import http.client
import json
import select
import sys
import threading
import time
import urllib.parse

TIMEOUT_S = 120


def calls(url, key, is_kept, stopped, called, counts):
    address = urllib.parse.urlsplit(url)
    connection = None
    while not stopped.is_set():
        began = time.monotonic()
        try:
            if connection is None:
                connection = http.client.HTTPConnection(address.hostname, address.port, timeout=TIMEOUT_S)
                connection.connect()
            elif is_closed(connection):
                connection.close()
                connection.connect()
            connection.request("POST", address.path, headers={"x-api-key": key, "accept": "application/json"})
            response = connection.getresponse()
            text = response.read().decode()
            if response.status != 200 or not json.loads(text)["output"].startswith("ran"):
                counts["failed"].append(f"{response.status} {text[:300]}")
            if not is_kept or response.will_close:
                connection.close()
                connection = None
        except Exception as error:
            counts["failed"].append(f"{type(error).__name__}: {error}")
            connection = None
        counts["calls"] += 1
        counts["longest_s"] = max(counts["longest_s"], round(time.monotonic() - began, 2))
        called.set()


def is_closed(connection):
    return connection.sock is None or select.select([connection.sock], [], [], 0)[0] != []


def main():
    url, key, threads = sys.argv[1:]
    stopped = threading.Event()
    started = []
    for index in range(int(threads)):
        counts = {"calls": 0, "longest_s": 0, "failed": []}
        called = threading.Event()
        thread = threading.Thread(target=calls, args=(url, key, index % 2 == 0, stopped, called, counts))
        thread.start()
        started.append((thread, called, counts))
    for _, called, _ in started:
        called.wait()
    print("called", flush=True)
    sys.stdin.read()
    stopped.set()
    for thread, _, _ in started:
        thread.join()
    parts = [counts for _, _, counts in started]
    print(
        json.dumps(
            {
                "calls": sum(part["calls"] for part in parts),
                "longest_s": max(part["longest_s"] for part in parts),
                "failed": [text for part in parts for text in part["failed"]][:20],
            }
        ),
        flush=True,
    )


main()
