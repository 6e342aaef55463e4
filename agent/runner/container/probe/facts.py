# Looks at a container from the inside and prints what it found, as JSON: what is said about limits, and what happens when
# they are tried. Its argument is the memory limit in bytes.
import json, os, pwd, signal, subprocess, sys, time

MAX_FORKS = 300
BUSY_SEC = 0.5


def status(name):
    with open('/proc/self/status') as lines:
        return next((line.split()[1] for line in lines if line.startswith(name + ':')), '')


def writable_folders():
    found = []
    for folder, folders, _files in os.walk('/'):
        if folder == '/':
            folders.remove('proc')
        if os.access(folder, os.W_OK):
            found.append(folder)
            folders.clear()
    return found


def size_of(folder):
    of = os.statvfs(folder)
    return of.f_blocks * of.f_frsize


def devices():
    special = []
    for entry in os.scandir('/dev'):
        if not entry.is_symlink() and not entry.is_dir():
            special.append(entry.name)
    return sorted(special)


def interfaces():
    with open('/proc/net/dev') as lines:
        return [line.split(':')[0].strip() for line in lines if ':' in line]


def descriptors():
    looking = os.open('/proc/self/fd', os.O_RDONLY)
    names = [name for name in os.listdir('/proc/self/fd') if int(name) > 2 and int(name) != looking]
    return [os.readlink('/proc/self/fd/' + name) for name in names if os.path.lexists('/proc/self/fd/' + name)]


def forks():
    children = []
    try:
        while len(children) < MAX_FORKS:
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)


def survives(allocated):
    program = 'import sys; b"x" * int(sys.argv[1])'
    return subprocess.run([sys.executable, '-c', program, str(allocated)], stderr=subprocess.DEVNULL).returncode == 0


def processors_used():
    started = time.monotonic()
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            while time.monotonic() - started < BUSY_SEC:
                pass
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    used = os.times()
    return (used.children_user + used.children_system) / (time.monotonic() - started)


def namespaces_can_be_made():
    return subprocess.run(['unshare', '--user', 'true'], stderr=subprocess.DEVNULL).returncode == 0


# Before anything else has used processors.
used = processors_used()
print(json.dumps({
    'user': pwd.getpwuid(os.getuid()).pw_name,
    'folder': os.getcwd(),
    'capabilities': [status(name) for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb')],
    'no_new_privileges': status('NoNewPrivs'),
    'seccomp': status('Seccomp'),
    'writable': sorted(writable_folders()),
    'sizes': {folder: size_of(folder) for folder in ('/tmp', '/output', '/dev/shm')},
    'devices': devices(),
    'interfaces': interfaces(),
    'descriptors': descriptors(),
    'namespaces': namespaces_can_be_made(),
    'forks': forks(),
    'memory_beyond_limit': survives(int(sys.argv[1]) * 5 // 4),
    'processors_used': used,
}))
