// /output of an endpoint with artifacts: a volume of the execution alone, which the host reads afterwards (decision 96, files of
// hosted commands).
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { collectFiles } from '../../../agent/link/artifacts/collect.ts';
import type { ContainerWorld } from '../container-world.ts';
import { mountsBelow, namesIn } from '../left.ts';

const VOLUME_BYTES = 64 * 1024 * 1024;
const container = { keepsOutput: true } as const;

export function theOutput(given: () => ContainerWorld): void {
  describe('the kept /output of hosted executions', () => {
    let world: ContainerWorld;
    beforeAll(() => {
      world = given();
    });
    afterEach(async () => {
      for (const id of world.runner.outputs.ids()) await world.runner.outputs.end(id);
    });

    /** Runs a shell text; returns its output and what the host reads afterwards. */
    async function left(text: string) {
      const running = world.start(text, { container });
      const ending = await running.ended;
      const { folder, release } = await world.runner.outputs.use(running.executionId);
      const files = await collectFiles(folder, ['**']);
      release();
      return { ending, output: running.sink.text, folder, files, id: running.executionId };
    }

    test('is read on the host when its container is gone, and then removed', async () => {
      const { folder, files, id } = await left('mkdir -p a/b; cd /output; mkdir a; printf 1234 > a/b');
      expect(files.found).toEqual([{ name: 'a/b', size: 4 }]);
      expect(await Bun.file(`${folder}/a/b`).text()).toBe('1234');
      expect(world.runner.outputs.ids()).toEqual([id]);
      await world.runner.outputs.end(id);
      expect(mountsBelow(folder)).toEqual([]);
      expect(namesIn(`${world.dataFolder}/outputs`)).not.toContain(`${id}.ext4`);
    });

    test('is empty at the start, and that of no other', async () => {
      const other = world.start('echo mine > /output/mine; echo up; sleep 600', { container });
      await other.sink.seen('up');
      const { output } = await left('ls -A /output; stat -c %U:%a /output; ls -A /output/..');
      expect(output).toStartWith('runner:700\n');
      other.cancel();
      await other.ended;
    });

    test('has its own limit of bytes, and another execution keeps writing to its own', async () => {
      const other = world.start(
        'echo up; while :; do head -c 65536 /dev/zero > /output/part || exit 9; done',
        { container },
      );
      await other.sink.seen('up');
      const { output, files } = await left(
        'head -c 200M /dev/zero > /output/big; echo x > /tmp/x; echo over',
      );
      expect(output).toContain('No space left on device');
      expect(output).toEndWith('over\n');
      expect(files.found[0]?.size).toBeGreaterThan(VOLUME_BYTES / 2);
      expect(files.found[0]?.size).toBeLessThan(VOLUME_BYTES);
      other.cancel();
      expect(await other.ended).toMatchObject({ kind: 'cancelled' });
    });

    test('has its own limit of files', async () => {
      const text = `python3 -c '
import itertools
try:
    for n in itertools.count(): open("/output/%d" % n, "w").close()
except OSError as error: print(error.strerror, n < 10_000)'`;
      expect((await left(text)).output).toBe('No space left on device True\n');
    });

    test('takes no rights: no device, nothing with the rights of another, and the root stays read-only', async () => {
      const { output } = await left(`grep ' /output ' /proc/mounts; touch /etc/x /x 2>&1
        mknod /output/null c 1 3 2>&1; cp /bin/bash /output/shell; chmod 6755 /output/shell; /output/shell -p -c 'id -u; id -g'
        mount -o remount,suid,dev /output 2>&1; umount /output 2>&1; grep -c ' /output ' /proc/mounts; grep CapEff /proc/self/status`);
      const lines = output.trimEnd().split('\n');
      expect(lines[0]).toMatch(/ \/output ext4 .*nosuid,nodev/);
      expect(output).toContain("cannot touch '/etc/x': Read-only file system");
      expect(output).toContain("cannot touch '/x': Read-only file system");
      expect(output).toContain('mknod: /output/null: Operation not permitted');
      expect(output).toContain('\n10001\n10001\n');
      expect(lines.at(-2)).toBe('1');
      expect(lines.at(-1)).toBe('CapEff:\t0000000000000000');
    });

    test('leads the host nowhere, whatever is in it', async () => {
      const { files, output } =
        await left(`cd /output; ln -s /etc/passwd file; ln -s / folder; ln -s /proc/self/environ environ
        ln -s ../../../../../../etc/passwd climb; ln -s . loop; mkfifo fifo; ln /etc/passwd hard 2>&1
        python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'; mkdir closed; echo a > closed/a; chmod 000 closed
        echo own > own; ln own twice`);
      expect(output).toContain(
        "failed to create hard link 'hard' => '/etc/passwd': Invalid cross-device link",
      );
      expect(files.found).toEqual([
        { name: 'closed/a', size: 2 },
        { name: 'own', size: 4 },
        { name: 'twice', size: 4 },
      ]);
      const link = 'it is a symbolic link';
      const special = 'it is not a regular file';
      expect(files.missing).toEqual([
        { name: 'climb', reason: link },
        { name: 'environ', reason: link },
        { name: 'fifo', reason: special },
        { name: 'file', reason: link },
        { name: 'folder', reason: link },
        { name: 'loop', reason: link },
        { name: 'socket', reason: special },
      ]);
    });

    test('leaves no volume of a command that was cancelled before it began', async () => {
      const all = Array.from({ length: 10 }, () => world.start('echo ran', { container }));
      for (const { cancel } of all) cancel();
      for (const { ended, executionId } of all) {
        expect((await ended).kind).toBe('cancelled');
        await world.runner.outputs.end(executionId);
      }
      // This command waits behind the others, in the order of the requests.
      await left('true');
      expect(
        world.runner.outputs.ids().filter((id) => all.some(({ executionId }) => executionId === id)),
      ).toEqual([]);
    });

    test('of a pipeline step stands beside the workspace of the run', async () => {
      const runId = crypto.randomUUID();
      await world.output('echo shared > shared', { container: { runId } });
      const running = world.start('cat shared; cp shared /output/', { container: { ...container, runId } });
      expect(await running.ended).toMatchObject({ kind: 'exited', exitCode: 0 });
      const { folder, release } = await world.runner.outputs.use(running.executionId);
      expect((await collectFiles(folder, ['*'])).found).toEqual([{ name: 'shared', size: 7 }]);
      release();
      await world.runner.endRun(runId);
    });
  });
}
