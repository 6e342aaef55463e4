// Things that a hosted container cannot reach: the network, the host, the kernel, another container (reference 8, decision 49,
// the hosted runner).
import { beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerWorld } from '../container-world.ts';

/** Listens where a container must not come: on the host's loopback, and under a name in its abstract sockets. */
const LISTENER = `
import socket, sys
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\\0svc-test-listener")
abstract.listen()
print("ready", flush=True)
sys.stdin.read()
`;

/** Calls that would do something, or fail otherwise, if they were let through; by architecture. */
const FORBIDDEN: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  x64: {
    'unshare a user namespace': [272, 0x10000000],
    'trace itself': [101, 0, 0, 0, 0],
    'look into another process': [310, 1, 0, 0, 0, 0, 0],
    'compare processes': [312, 1, 1, 0, 0, 0],
    'ask for a keyring': [250, 0, 0, 0],
    'set up io_uring': [425, 1, 0],
    'change its personality': [135, 0x40000],
    'open a socket of virtual machines': [41, 40, 1, 0],
    'open a socket of the kernel’s cryptography': [41, 38, 5, 0],
    'clone into a namespace': [56, 0x10000000, 0, 0, 0, 0],
    'open a file system': [430, 0, 0],
    'set the time': [164, 0, 0],
    'load a program into the kernel': [321, 0, 0, 0],
  },
  arm64: {
    'unshare a user namespace': [97, 0x10000000],
    'trace itself': [117, 0, 0, 0, 0],
    'look into another process': [270, 1, 0, 0, 0, 0, 0],
    'ask for a keyring': [219, 0, 0, 0],
    'set up io_uring': [425, 1, 0],
    'change its personality': [92, 0x40000],
    'open a socket of virtual machines': [198, 40, 1, 0],
    'open a socket of the kernel’s cryptography': [198, 38, 5, 0],
  },
};
const EPERM = 1;
const CLONE3 = 435;
const ENOSYS = 38;

function callOf(numbers: readonly number[]): string {
  const program = `import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.syscall(${numbers.join(',')}), ctypes.get_errno())`;
  return `python3 -c '${program}'`;
}

export function theWalls(given: () => ContainerWorld): void {
  describe('the walls of a hosted container', () => {
    let world: ContainerWorld;
    beforeAll(() => {
      world = given();
    });

    test('there is no interface but lo, no route, and no name is resolved', async () => {
      expect(await world.output("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toBe('lo');
      expect(await world.output('tail -n +2 /proc/net/route; cat /etc/resolv.conf')).toBe('');
      const { output } = await world.run(
        'getent hosts deb.debian.org || echo unknown; curl -sS http://192.0.2.1',
      );
      expect(output).toContain('unknown');
      expect(output).toMatch(/Network is unreachable|Could not connect|Couldn't connect/);
    });

    test('nothing of the host that listens is reached: not its loopback, not its abstract sockets', async () => {
      using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('the host') });
      const listener = Bun.spawn(['python3', '-c', LISTENER], { stdin: 'pipe', stdout: 'pipe' });
      try {
        await listener.stdout.getReader().read();
        expect(await (await fetch(server.url)).text()).toBe('the host');
        const { output } = await world.run(
          `curl -s ${server.url}; echo $?; python3 -c '
import socket
try: socket.socket(socket.AF_UNIX).connect("\\0svc-test-listener")
except OSError as error: print(error.strerror)'`,
        );
        expect(output).toBe('7\nConnection refused\n');
      } finally {
        listener.kill();
        await listener.exited;
      }
    });

    test.each(Object.keys(FORBIDDEN[process.arch] ?? {}))('the kernel refuses it to %s', async (what) => {
      const numbers = FORBIDDEN[process.arch]?.[what] ?? [];
      expect(await world.output(callOf(numbers))).toBe(`-1 ${EPERM}`);
    });

    test('clone3 does not exist, so that what starts threads takes the call whose flags can be seen', async () => {
      expect(await world.output(callOf([CLONE3, 0, 0]))).toBe(`-1 ${ENOSYS}`);
      const threads =
        'import threading; t = threading.Thread(target=print, args=["ran"]); t.start(); t.join()';
      expect(
        await world.output(`python3 -c '${threads}'; node -e 'new Worker'  2>/dev/null || node -p 1`),
      ).toBe('ran\n1');
    });

    test('process 1 is not stopped, killed or spoken for by what it runs', async () => {
      const attempts = [
        'kill -9 1; kill -STOP 1; kill -TERM 1; kill -INT 1; kill -HUP 1',
        'echo forged > /proc/1/fd/1; echo forged > /proc/1/fd/0',
        'python3 -c \'open("/proc/1/mem", "wb").write(b"x")\'',
      ];
      const { ending, output } = await world.run(
        `(${attempts.join('; ')}) 2>/dev/null; echo still here; exit 7`,
      );
      expect(ending).toMatchObject({ kind: 'exited', exitCode: 7 });
      expect(output).toBe('still here\n');
    });

    test('nothing that one execution leaves is visible to the next', async () => {
      await world.output(
        'echo left | tee /tmp/a /output/a /workspace/a /dev/shm/a; sleep 600 > /dev/null 2>&1 & disown',
      );
      const text =
        'ls -A /tmp /output /workspace /dev/shm | grep -v :; cd /proc; echo [0-9]*; ipcs | grep -c 0x || true';
      for (let executions = 0; executions < 3; executions += 1) {
        expect(await world.output(text)).toMatch(/^\n*1 \d+( \d+)*\n0$/);
      }
    });

    test('two that run at the same time do not see each other', async () => {
      const first = world.start('hostname; echo mine > /tmp/mark; echo up; sleep 600 | cat');
      await first.sink.seen('up');
      const others =
        'ls /tmp /workspace; cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -c "sleep 60[0]" || true';
      expect(await world.output(others)).toEndWith('\n0');
      first.cancel();
      expect((await first.ended).kind).toBe('cancelled');
    });

    test('a secret is in the environment of its command and nowhere else', async () => {
      const secret = `secret-${crypto.randomUUID()}`;
      const running = world.start('echo "${API_KEY^^}"; sleep 600; true', {
        env: { API_KEY: secret },
        masks: [secret],
      });
      await running.sink.seen('SECRET');
      const other = await world.output('cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"');
      expect(other).not.toContain(secret);
      expect(holders('cmdline', secret)).toEqual([]);
      // The command itself, as the host sees it, and the children that have its environment.
      expect(holders('environ', secret).every((comm) => ['bash', 'sleep'].includes(comm))).toBe(true);
      expect(filesWith(secret, [world.dataFolder, ...world.configurations])).toEqual([]);
      running.cancel();
      await running.ended;
    });

    test('a secret that is printed is masked before it leaves the runner', async () => {
      const masked = await world.output('echo "<$API_KEY>"', {
        env: { API_KEY: 'hunter22' },
        masks: ['hunter22'],
      });
      expect(masked).toBe('<***>');
    });
  });
}

/** The names of the processes of this machine, but for this one, that have a text in one of their files. */
function holders(file: 'cmdline' | 'environ', text: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const holds = readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text);
      return holds ? [readFileSync(`/proc/${pid}/comm`, 'latin1').trim()] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

function filesWith(text: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => contentsOf(file).includes(text));
}

function contentsOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    // An engine writes its files again, under other names at first.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
