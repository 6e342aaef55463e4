// An agent that was stopped (SIGSTOP, a frozen cgroup) says truly how a command ended meanwhile (decision 64, borders of
// people and browsers).
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stopChild } from '@svc/agent/runner/process/fixtures/stop-child';
import { serveWorld, type World } from '../world.ts';

setDefaultTimeout(60_000);

/** Pipes with a name. Each read waits for a writer, and for its end. */
const PIPES = ['begun', 'go', 'held'];
const TIMEOUT_MS = 2_000;
const ENDPOINTS = [
  // Holds a pipe open until its end, which is while the agent is stopped.
  { name: 'ends', command: 'exec 9<> held 8> held 9<&-; echo > begun; read go < go; exit 7', timeout: 2 },
  { name: 'goes-on', command: 'echo > begun; sleep 30', timeout: 2 },
];

let world: World;
beforeAll(async () => {
  world = await serveWorld(ENDPOINTS);
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => {
  expect(Bun.spawnSync(['mkfifo', ...PIPES.map(path)]).exitCode).toBe(0);
});
afterEach(() => {
  for (const pipe of PIPES) rmSync(path(pipe));
});

const path = (name: string) => join(world.folder, name);

/** Calls, stops the server as soon as the command runs, and lets it go on after the time-out. */
async function callThroughStop(name: string, meanwhile: () => Promise<void>) {
  const calling = fetch(`${world.url}/${name}`, { headers: { accept: 'application/json' } });
  await readFile(path('begun'));
  const begunMs = performance.now();
  stopChild(world.pid);
  await meanwhile();
  // The fault itself: the time of the command passes while its agent stands still.
  await Bun.sleep(begunMs + TIMEOUT_MS + 500 - performance.now());
  process.kill(world.pid, 'SIGCONT');
  const answer = await calling;
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('a command that ended while the agent was stopped has its exit code, though its time-out has passed since', async () => {
  const { status, body } = await callThroughStop('ends', async () => {
    const ended = readFile(path('held'));
    await writeFile(path('go'), '\n');
    await ended;
  });
  expect([status, body]).toMatchObject([200, { output: '', exit_code: 7 }]);
});

test('a command that still runs when the agent resumes has timed out by the wall clock', async () => {
  const { status, body } = await callThroughStop('goes-on', () => Promise.resolve());
  expect([status, body.code]).toEqual([502, 'timeout']);
});
