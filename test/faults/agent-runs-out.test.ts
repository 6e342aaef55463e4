// An agent, or `svc serve`, that runs out of file descriptors or disk space reports it in one line per episode (decision 64,
// borders of people and browsers).
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { serveWorld } from '../world.ts';

setDefaultTimeout(120_000);

const ENDPOINTS = [{ name: 'hello', command: 'echo hi' }];
const CALLS = 20;

const canLimit = process.platform === 'linux' && Bun.which('prlimit') !== null;
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

async function run(...argv: string[]): Promise<void> {
  const child = Bun.spawn(argv, { stdout: 'ignore', stderr: 'pipe' });
  const stderr = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`);
}

/** From now on a process opens nothing beyond this number; the hard limit stays. */
const limitDescriptors = (pid: number, count: number) =>
  run('prlimit', '--pid', String(pid), `--nofile=${count}:`);

/** The first number that the process does not use. */
function descriptorsOf(pid: number): number {
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let next = 0;
  while (used.has(next)) next += 1;
  return next;
}

const lines = (text: string, pattern: RegExp) => text.split('\n').filter((line) => pattern.test(line));

describe.skipIf(!canLimit)('without file descriptors', () => {
  test('svc agent has one line when it begins and one when it is over, and its callers a reason', async () => {
    await using world = await hubWorld();
    await using agent = await realAgent(world, ENDPOINTS);
    expect((await world.call('hello')).status).toBe(200);
    await limitDescriptors(agent.pid, descriptorsOf(agent.pid));
    for (let n = 0; n < CALLS; n += 1) {
      const answer = await world.call('hello');
      const body = (await answer.json()) as { code: string; error: string };
      expect([answer.status, body.code, body.error]).toEqual([
        502,
        'spawn_failed',
        expect.stringContaining('no file descriptors are left'),
      ]);
    }
    await limitDescriptors(agent.pid, 1024);
    await agent.stdout.find(/file descriptors available again/);
    expect((await world.call('hello')).status).toBe(200);
    expect(lines(agent.stdout.text, /TROUBLE/)).toEqual([
      expect.stringMatching(/no file descriptors left: .* fail with 502\. Raise the limit .*ulimit -n/),
    ]);
    expect(lines(agent.stdout.text, /available again/)).toHaveLength(1);
  });

  test('svc serve has the same two lines', async () => {
    await using world = await serveWorld(ENDPOINTS);
    const call = () => fetch(`${world.url}/hello`, { headers: { accept: 'application/json' } });
    expect((await call()).status).toBe(200);
    // The connection stays open, so calls reach the server all the same.
    await limitDescriptors(world.pid, descriptorsOf(world.pid));
    for (let n = 0; n < CALLS; n += 1) expect((await call()).status).toBe(502);
    await limitDescriptors(world.pid, 1024);
    await world.stderr.find(/file descriptors available again/);
    expect((await call()).status).toBe(200);
    expect(lines(world.stderr.text, /./)).toEqual([
      expect.stringContaining('no file descriptors left'),
      expect.stringContaining('file descriptors available again'),
    ]);
  });
});

describe.skipIf(!canMount)('with a disk that is full', () => {
  let world: HubWorld;
  let folder: TemporaryFolder;
  let ballast: string;
  beforeEach(async () => {
    world = await hubWorld();
    folder = await temporaryFolder();
    await run('mount', '-t', 'tmpfs', '-o', 'size=256k', 'svc-test', folder.path);
    ballast = join(folder.path, 'ballast');
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await run('umount', '--lazy', folder.path);
    await folder[Symbol.asyncDispose]();
  });

  /** Takes all the room that there is, to the last byte. */
  function fillDisk(): void {
    for (let bytes = 64 * 1024; bytes > 0; bytes = Math.floor(bytes / 2)) {
      try {
        for (;;) writeFileSync(ballast, new Uint8Array(bytes), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  }

  test('svc agent has one line when it begins and one when it is over, and starts nothing meanwhile', async () => {
    await using agent = await realAgent(world, ENDPOINTS, ['--state-dir', folder.path]);
    expect((await world.call('hello')).status).toBe(200);
    fillDisk();
    // The page of the journal that has room still takes some lines.
    while ((await world.call('hello')).status === 200);
    for (let n = 0; n < CALLS; n += 1) expect((await world.call('hello')).status).toBe(503);
    rmSync(ballast);
    await agent.stdout.find(/disk space available again/);
    expect((await world.call('hello')).status).toBe(200);
    expect(lines(agent.stdout.text, /TROUBLE|^\s+at /)).toEqual([
      expect.stringMatching(/no disk space left .* refused with 503, .* Free space on that disk/),
    ]);
    expect(lines(agent.stdout.text, /disk space available again/)).toHaveLength(1);
  });
});
