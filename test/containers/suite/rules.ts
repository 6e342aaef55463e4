// The rules of reference 8, checked from inside real containers.
import { beforeAll, describe, expect, test } from 'bun:test';
import type { ContainerWorld } from '../container-world.ts';

const MIB = 1024 * 1024;

export function theRules(given: () => ContainerWorld): void {
  describe('a hosted container', () => {
    let world: ContainerWorld;
    beforeAll(() => {
      world = given();
    });

    test('is Debian, with bash, curl, jq, git, python3 and node', async () => {
      const text = `. /etc/os-release; echo $ID
      for program in "bash -c true" "curl --version" "jq -n 1" "git --version" "python3 -c 1" "node -e 0"; do
        $program > /dev/null || echo "$program: $?"
      done`;
      expect(await world.output(text)).toBe('debian');
    });

    test('runs commands as the user "runner", who is not root, in /workspace', async () => {
      expect(await world.output('id -un; id -u; id -G; pwd')).toBe('runner\n10001\n10001\n/workspace');
    });

    test('can write only in /tmp, /output, /workspace and 16 MB of shared memory', async () => {
      const find =
        'find / \\( -path /proc -o -path "/dev/[^ms]*" \\) -prune -o -writable -not -type l -print -prune 2>/dev/null | sort';
      expect(await world.output(find)).toBe('/dev/shm\n/output\n/tmp\n/workspace');
      const { output } = await world.run('touch /etc/x; mkdir /x; rm /bin/sh; chmod 700 /tmp');
      expect(output.match(/Read-only file system|Operation not permitted/g)).toHaveLength(4);
    });

    test.each(['/tmp', '/output'])('has 100 MB at %s, in memory, and not a byte more', async (folder) => {
      const { output } = await world.run(
        `head -c 150M /dev/zero > ${folder}/x; stat -c %s ${folder}/x; stat -f -c %T ${folder}`,
      );
      expect(output).toContain('No space left on device');
      expect(output).toEndWith(`${100 * MIB}\ntmpfs\n`);
    });

    test('stops a million files in memory by their number', async () => {
      const text = `python3 -c '
import itertools
try:
    for n in itertools.count(): open(f"/tmp/{n}", "w").close()
except OSError as error: print(error.strerror, n < 70000)'`;
      expect(await world.output(text)).toBe('No space left on device True');
    });

    test('runs what a command has put into /tmp, so that it can build and call its own programs', async () => {
      expect(await world.output('cp /bin/echo /tmp/say; /tmp/say built')).toBe('built');
    });

    test('takes no set-user-ID and makes no device', async () => {
      expect(await world.output('find / -xdev -type f -perm /6000 2>/dev/null; echo none')).toBe('none');
      const { output } = await world.run('mknod /tmp/disk b 8 0; mknod /tmp/memory c 1 1');
      expect(output.match(/Operation not permitted/g)).toHaveLength(2);
      expect(await world.output('cd /dev; find . ! -type d ! -type l | sort | tr -d "\\n"')).toBe(
        './full./null./random./tty./urandom./zero',
      );
    });

    test('has no capability, can get none, and its system calls are filtered', async () => {
      const status = await world.output('grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status | cut -f 2');
      expect(status.split('\n')).toEqual([...Array(5).fill('0000000000000000'), '1', '2']);
    });

    test('sees no process but its own, and its process 1 has nothing to read', async () => {
      expect(await world.output('cd /proc; echo [0-9]*')).toMatch(/^1 \d+$/);
      const secrets = ['environ', 'mem', 'maps', 'fd', 'cwd', 'root'];
      const { output } = await world.run(secrets.map((name) => `head -c 1 /proc/1/${name}`).join('; '));
      expect(output.match(/Permission denied/g)).toHaveLength(secrets.length);
    });

    test('gives a command no descriptor but the three of its own', async () => {
      const text = 'import os; print(sorted(map(int, os.listdir("/proc/self/fd"))))';
      expect(await world.output(`python3 -c '${text}'`)).toBe('[0, 1, 2, 3]');
      expect(await world.output('readlink /proc/self/fd/0')).toBe('/dev/null');
    });

    test('hides what the kernel shows only to the owner of the machine', async () => {
      const text =
        'for file in keys sched_debug timer_list kcore interrupts; do [ -e /proc/$file ] && head -c 9 /proc/$file; done; ls /sys; echo end';
      expect(await world.output(text)).toBe('end');
      expect(await world.output('[ -w /proc/sys/kernel/panic ] || echo no')).toBe('no');
      expect(await world.output('[ -w /proc/sysrq-trigger ] || echo no')).toBe('no');
    });
  });
}
