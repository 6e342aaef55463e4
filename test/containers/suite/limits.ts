// The limits of a plan and of every container, used up for real (reference 8).
import { beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import type { ContainerWorld } from '../container-world.ts';

const MIB = 1024 * 1024;

/** How many processors two busy processes got, in half a second. */
const BUSY = `python3 -c '
import os, time
began = time.monotonic()
for _ in range(2):
    if os.fork() == 0:
        while time.monotonic() - began < 0.5: pass
        os._exit(0)
for _ in range(2): os.wait()
used = os.times()
print((used.children_user + used.children_system) / (time.monotonic() - began))'`;

export function theLimits(given: () => ContainerWorld): void {
  describe('the limits of a hosted container', () => {
    let world: ContainerWorld;
    beforeAll(() => {
      world = given();
    });

    const allocate = (mebibytes: number) => `exec python3 -c 'b"x" * (${mebibytes} << 20); print("had it")'`;

    test.each([64, 512])(
      'a command has the memory of its plan, here %d MiB, and no more',
      async (mebibytes) => {
        const container = { memoryBytes: mebibytes * MIB };
        const within = await world.run(allocate(Math.floor(mebibytes * 0.6)), { container });
        expect(within.output).toBe('had it\n');
        const beyond = await world.run(allocate(mebibytes + 16), { container });
        expect(beyond.ending).toMatchObject({ kind: 'exited', exitCode: 137 });
        expect(beyond.output).toBe(
          `[svc: the memory limit of ${mebibytes} MiB was reached, and what ran was killed]\n`,
        );
      },
    );

    test('bytes written into memory count, and the line that reports the limit begins a line', async () => {
      const text = 'printf begun; head -c 60M /dev/zero > /tmp/x; exec python3 -c \'b"x" * (60 << 20)\'';
      const { ending, output } = await world.run(text, { container: { memoryBytes: 96 * MIB } });
      expect(ending).toMatchObject({ kind: 'exited', exitCode: 137 });
      expect(output).toBe('begun\n[svc: the memory limit of 96 MiB was reached, and what ran was killed]\n');
    });

    test('a command that was killed otherwise is not reported as out of memory', async () => {
      const { ending, output } = await world.run('kill -9 $$');
      expect(ending).toMatchObject({ kind: 'exited', exitCode: 137 });
      expect(output).toBe('');
    });

    test('a command that continues after a part of it was killed for memory has its own exit code, and no line', async () => {
      const text = `(${allocate(200)}) 2>/dev/null; echo after`;
      const { ending, output } = await world.run(text, { container: { memoryBytes: 64 * MIB } });
      expect(ending).toMatchObject({ kind: 'exited', exitCode: 0 });
      expect(output).toEndWith('after\n');
      expect(output).not.toContain('[svc');
    });

    test.each([0.25, 0.5])('a command has the processors of its plan, here %d', async (vcpus) => {
      let most = 0;
      // On a machine with other work it gets less, at one time or another.
      while (most <= vcpus * 0.3) {
        const used = Number(await world.output(BUSY, { container: { vcpus } }));
        expect(used).toBeLessThan(vcpus * 1.5);
        most = Math.max(most, used);
      }
    });

    test('there are 256 processes, process 1 among them', async () => {
      const text = `python3 -c '
import os, signal
children = 0
try:
    while children < 400:
        if os.fork() == 0: signal.pause()
        children += 1
except OSError as error: print(error.strerror, children)'`;
      expect(await world.output(text)).toBe('Resource temporarily unavailable 254');
    });

    test('a fork bomb is contained, ends at its time-out, and nothing of it is left', async () => {
      const { ending } = await world.run(':(){ :|:& };: ; sleep 600', { timeoutMs: 1_000 });
      expect(ending.kind).toBe('timed_out');
      expect(await world.output('echo the host is well')).toBe('the host is well');
      await goneFrom(world.instance);
    }, 180_000);

    test('containers of different plans come from the same pool', async () => {
      const sizes = [64, 512, 128, 2_048].map((mebibytes) =>
        world.output('echo $(( $(nproc) > 0 ))', { container: { memoryBytes: mebibytes * MIB, vcpus: 2 } }),
      );
      expect(await Promise.all(sizes)).toEqual(['1', '1', '1', '1']);
    });
  });
}

/** Settles when no process of this runner runs a shell. */
async function goneFrom(instance: string): Promise<void> {
  while (bombs(instance) > 0) await Bun.sleep(20);
}

function bombs(instance: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      const isHere = readFileSync(`/proc/${pid}/cgroup`, 'latin1').includes(`svc-${instance}`);
      return isHere && readFileSync(`/proc/${pid}/comm`, 'latin1') === 'bash\n';
    } catch {
      return false;
    }
  }).length;
}
