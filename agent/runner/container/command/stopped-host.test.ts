// Tests that a stopped host (SIGSTOP, a frozen cgroup) reports truthfully how a command ended meanwhile (decision 64,
// borders of people and browsers).
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopChild } from '../../process/fixtures/stop-child.ts';
import type { Ending } from '../../runner.ts';

setDefaultTimeout(60_000);

const TIMEOUT_MS = 2_000;
/** A timer that fires later than this was delayed by a pause. */
const LATE_MS = 1_000;

const canBeApart = process.platform === 'linux' && process.getuid?.() === 0 && Bun.which('unshare') !== null;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-stopped-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command, stops its host until long after the timeout, and resumes the host. */
async function endingThroughStop(text: string, meanwhile: () => Promise<void>): Promise<Ending> {
  const program = join(import.meta.dir, '..', 'fixtures', 'stopped-host.ts');
  const host = Bun.spawn([process.execPath, program, String(TIMEOUT_MS), text], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = host.stdout.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe('begun\n');
  const lateAtMs = performance.now() + TIMEOUT_MS + LATE_MS;
  stopChild(host.pid);
  await meanwhile();
  // The fault itself: the time of the command passes while its host stands still.
  await Bun.sleep(lateAtMs + 500 - performance.now());
  host.kill('SIGCONT');
  let output = '';
  const decoder = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    output += decoder.decode(read.value);
  expect(await host.exited).toBe(0);
  return JSON.parse(output) as Ending;
}

test.skipIf(!canBeApart)(
  'a command that ended while its host was stopped has its exit code, though its time-out has passed since',
  async () => {
    const path = (name: string) => join(folder, name);
    expect(Bun.spawnSync(['mkfifo', path('go'), path('over')]).exitCode).toBe(0);
    const text = `echo begun; read go < ${path('go')}; echo > ${path('over')}; exit 7`;
    const ending = await endingThroughStop(text, async () => {
      await writeFile(path('go'), '\n');
      await readFile(path('over'));
    });
    expect(ending).toMatchObject({ kind: 'exited', exitCode: 7 });
  },
);

test.skipIf(!canBeApart)('a command that still runs when its host resumes has timed out', async () => {
  expect(await endingThroughStop('echo begun; exec sleep 600', () => Promise.resolve())).toMatchObject({
    kind: 'timed_out',
  });
});
