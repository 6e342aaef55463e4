// /workspace: one of its own for each execution, or the volume of a pipeline run (reference 8, decision 49, the hosted
// runner).
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import type { ContainerWorld } from '../container-world.ts';
import { leftOf } from '../left.ts';

const VOLUME_BYTES = 64 * 1024 * 1024;

export function theWorkspace(given: () => ContainerWorld): void {
  describe('the workspace of hosted executions', () => {
    let world: ContainerWorld;
    beforeAll(() => {
      world = given();
    });
    afterEach(async () => {
      for (const runId of world.runner.volumes()) await world.runner.endRun(runId);
      expect(leftOf(world)).toMatchObject({ mounts: [], images: [] });
    });

    const inRun = (runId: string) => ({ container: { runId } });

    test('the steps of one run share theirs, and no other run sees it', async () => {
      const run = crypto.randomUUID();
      await world.output('mkdir -p a/b; echo kept > a/b/c; chmod 640 a/b/c', inRun(run));
      expect(await world.output('cat a/b/c; stat -c %a:%U a/b/c', inRun(run))).toBe('kept\n640:runner');
      expect(await world.output('ls -A', inRun(crypto.randomUUID()))).toBe('');
      expect(await world.output('ls -A')).toBe('');
    });

    test('steps that run at the same time see each other’s files, and not each other', async () => {
      const container = { runId: crypto.randomUUID() };
      const first = world.start('mkfifo pipe; echo up; cat pipe', { container });
      await first.sink.seen('up');
      const second = await world.output('ls /proc | grep -c "^[0-9]"; echo hello > pipe', { container });
      expect(Number(second)).toBeLessThan(6);
      expect((await first.ended).kind).toBe('exited');
      expect(first.sink.text).toBe('up\nhello\n');
    });

    test('it ends with its run, whatever is in it, and another run of the same name begins with nothing', async () => {
      const run = crypto.randomUUID();
      await world.output('echo x > x; chmod 000 .', inRun(run));
      expect(world.runner.volumes()).toEqual([run]);
      await world.runner.endRun(run);
      expect(world.runner.volumes()).toEqual([]);
      expect(leftOf(world)).toMatchObject({ mounts: [], images: [] });
      expect(await world.output('ls -A', inRun(run))).toBe('');
    });

    test('a run that ends while a step runs takes its volume with it once the step is over', async () => {
      const run = crypto.randomUUID();
      const step = world.start('echo up; sleep 600', inRun(run));
      await step.sink.seen('up');
      const ended = world.runner.endRun(run);
      step.cancel();
      await ended;
      expect((await step.ended).kind).toBe('cancelled');
      expect(world.runner.volumes()).toEqual([]);
    });

    test('the end of a run that has no volume here is nothing', async () => {
      await world.runner.endRun(crypto.randomUUID());
    });

    test('a full one stops its own steps and not the disk of the host', async () => {
      const run = crypto.randomUUID();
      const { output } = await world.run('head -c 200M /dev/zero > big; stat -c "%s %b" big', inRun(run));
      expect(output).toContain('No space left on device');
      expect(Number(/^(\d+) \d+$/m.exec(output)?.[1])).toBeLessThan(VOLUME_BYTES);
      // The next step can make room.
      expect(await world.output('rm big; echo fits > small; cat small', inRun(run))).toBe('fits');
    });

    test('a million files hit its own limit', async () => {
      const text = `python3 -c '
import itertools
try:
    for n in itertools.count(): open(str(n), "w").close()
except OSError as error: print(error.strerror, n < 10_000)'`;
      expect(await world.output(text, inRun(crypto.randomUUID()))).toBe('No space left on device True');
    });

    test('links to the host’s files, pipes, sockets and set-user-ID in it harm neither the host nor the next step', async () => {
      const run = crypto.randomUUID();
      const planted = '/tmp/svc-test-planted';
      writeFileSync(planted, 'of the host');
      const hostile = `ln -s / root; ln -s /etc/shadow shadow; ln -s ${planted} planted; ln -s . loop; mkfifo fifo;
      cp /bin/bash shell; chmod 6755 shell; mkdir -p "$(printf 'd/%.0s' {1..200})"; touch -- -rf '*' $'new\\nline'
      python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'`;
      await world.output(hostile, inRun(run));
      const next = await world.output(
        './shell -p -c "id -u; id -g"; cat planted 2>&1; stat -c %U root/; echo own',
        inRun(run),
      );
      expect(next).toBe(`10001\n10001\ncat: planted: No such file or directory\nroot\nown`);
      await world.runner.endRun(run);
      expect(existsSync(planted)).toBe(true);
    });

    test('its file system makes no device, runs nothing with the rights of another, and is left alone once it is broken', async () => {
      const options = await world.output("grep ' /workspace ' /proc/mounts", inRun(crypto.randomUUID()));
      expect(options).toMatch(/ ext4 /);
      expect(options).toMatch(/nosuid/);
      expect(options).toMatch(/nodev/);
      expect(options).toMatch(/errors=remount-ro/);
    });

    test('one that is not shared is in memory, and gone with its container', async () => {
      expect(await world.output('stat -f -c %T .; echo x > x; ls')).toBe('tmpfs\nx');
      const { output } = await world.run('head -c 300M /dev/zero > x', {
        container: { memoryBytes: 2 ** 30 },
      });
      expect(output).toContain('No space left on device');
    });
  });
}
