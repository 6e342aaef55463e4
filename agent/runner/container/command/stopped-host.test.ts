// Tests that a stopped host (SIGSTOP, a frozen cgroup) reports truthfully how a command ended meanwhile (decision 64).
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ending } from '../../runner.ts';

setDefaultTimeout(60_000);

const TIMEOUT_MS = 2_000;
/** A timer later than this was held up. */
const LATE_MS = 1_000;

const canBeApart = process.platform === 'linux' && process.getuid?.() === 0 && Bun.which('unshare') !== null;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-stopped-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Resolves when a condition on the file system, the process table or the clock holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat[stat.lastIndexOf(')') + 2] === 'T';
}

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
  host.kill('SIGSTOP');
  await until(() => isStopped(host.pid));
  await meanwhile();
  await until(() => performance.now() > lateAtMs + 500);
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
    const text = `echo begun; until [ -e ${path('go')} ]; do sleep 0.05; done; touch ${path('over')}; exit 7`;
    const ending = await endingThroughStop(text, async () => {
      writeFileSync(path('go'), '');
      await until(() => existsSync(path('over')));
    });
    expect(ending).toMatchObject({ kind: 'exited', exitCode: 7 });
  },
);

test.skipIf(!canBeApart)('a command that still runs when its host goes on has timed out', async () => {
  expect(await endingThroughStop('echo begun; exec sleep 600', () => Promise.resolve())).toMatchObject({
    kind: 'timed_out',
  });
});
