"""Runs a program as a service of systemd with FileDescriptorStoreMax=: keeps the sockets that it sends, and gives them to the
process that replaces it. SIGHUP restarts as `systemctl restart` does; SIGUSR1 kills the process, which starts again.

  keep-sockets.py PROGRAM [ARGUMENT…]

It prints `started PID` for each process, `kept NAME` and `removed NAME` for the sockets. Stand-in for systemd(1) in tests, where
it is not the first process: sd_listen_fds(3), sd_notify(3).
"""

import array
import fcntl
import os
import select
import signal
import socket
import sys
import tempfile

FIRST_DESCRIPTOR = 3


def say(text):
    print(text, flush=True)


class Service:
    def __init__(self, argv):
        self.argv = argv
        self.stored = {}
        self.pid = None
        self.is_stopping = False
        folder = tempfile.mkdtemp()
        self.address = os.path.join(folder, "notify")
        self.messages = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.messages.bind(self.address)

    def start(self):
        kept = list(self.stored.items())
        pid = os.fork()
        if pid == 0:
            environment = {**os.environ, "NOTIFY_SOCKET": self.address}
            if kept:
                environment["LISTEN_PID"] = str(os.getpid())
                environment["LISTEN_FDS"] = str(len(kept))
                environment["LISTEN_FDNAMES"] = ":".join(name for name, _ in kept)
                # First out of the way, so that none replaces another.
                high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for _, fd in kept]
                for index, fd in enumerate(high):
                    os.dup2(fd, FIRST_DESCRIPTOR + index, inheritable=True)
            os.execvpe(self.argv[0], self.argv, environment)
        self.pid = pid
        say(f"started {pid}")

    def receive(self):
        data, rights, _, _ = self.messages.recvmsg(4096, socket.CMSG_SPACE(64))
        fds = array.array("i")
        for level, kind, content in rights:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
        fields = dict(line.split("=", 1) for line in data.decode().splitlines())
        name = fields.get("FDNAME", "stored")
        if fields.get("FDSTOREREMOVE") == "1" and name in self.stored:
            os.close(self.stored.pop(name))
            say(f"removed {name}")
        elif fields.get("FDSTORE") == "1" and len(fds) == 1:
            if name in self.stored:
                os.close(self.stored.pop(name))
            self.stored[name] = fds.pop()
            os.set_inheritable(self.stored[name], False)
            say(f"kept {name}")
        for fd in fds:
            os.close(fd)


def main():
    service = Service(sys.argv[1:])
    # A signal ends the wait for messages.
    waking, woken = socket.socketpair()
    waking.setblocking(False)
    signal.set_wakeup_fd(waking.fileno())
    for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    service.start()
    while True:
        ready, _, _ = select.select([service.messages, woken], [], [])
        if service.messages in ready:
            service.receive()
        if woken in ready:
            for number in woken.recv(64):
                if number == signal.SIGHUP:
                    os.kill(service.pid, signal.SIGTERM)
                elif number == signal.SIGUSR1:
                    os.kill(service.pid, signal.SIGKILL)
                elif number == signal.SIGTERM:
                    service.is_stopping = True
                    os.kill(service.pid, signal.SIGTERM)
                elif number == signal.SIGCHLD:
                    pid, status = os.waitpid(service.pid, os.WNOHANG)
                    if pid == 0:
                        continue
                    say(f"ended {os.waitstatus_to_exitcode(status)}")
                    if service.is_stopping:
                        return
                    service.start()


main()
