// An agent that was stopped (SIGSTOP, a frozen cgroup) says truly how a command ended meanwhile (decision 64).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveWorld, type World } from '../world.ts';

setDefaultTimeout(60_000);

const ENDPOINTS = [
  // Ends as soon as there is a file, which is while the agent is stopped.
  { name: 'ends', command: 'echo $$ > pid; until [ -e go ]; do sleep 0.05; done; exit 7', timeout: 2 },
  { name: 'goes-on', command: 'echo $$ > pid; sleep 30', timeout: 2 },
];

let world: World;
beforeAll(async () => {
  world = await serveWorld(ENDPOINTS);
});
afterAll(() => world[Symbol.asyncDispose]());

const path = (name: string) => join(world.folder, name);

/** Settles when the condition holds; only the file system or the process table say so. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The state letter of a process; undefined: it is not there. */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat[stat.lastIndexOf(')') + 2];
  } catch {
    return undefined;
  }
}

/** Calls, stops the server as soon as the command runs, and lets it go on after the time-out. */
async function callThroughStop(name: string, meanwhile: (pid: number) => Promise<void>) {
  for (const file of ['pid', 'go']) rmSync(path(file), { force: true });
  const calling = fetch(`${world.url}/${name}`, { headers: { accept: 'application/json' } });
  await until(() => existsSync(path('pid')) && readFileSync(path('pid'), 'utf8').endsWith('\n'));
  const dueMs = performance.now() + 2_000;
  process.kill(world.pid, 'SIGSTOP');
  await until(() => stateOf(world.pid) === 'T');
  await meanwhile(Number(readFileSync(path('pid'), 'utf8')));
  await until(() => performance.now() > dueMs + 500);
  process.kill(world.pid, 'SIGCONT');
  const answer = await calling;
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('a command that ended while the agent was stopped has its exit code, though its time-out has passed since', async () => {
  const { status, body } = await callThroughStop('ends', async (pid) => {
    writeFileSync(path('go'), '');
    await until(() => stateOf(pid) === 'Z');
  });
  expect([status, body]).toMatchObject([200, { output: '', exit_code: 7 }]);
});

test('a command that still runs when the agent goes on has timed out: the clock on the wall counts', async () => {
  const { status, body } = await callThroughStop('goes-on', () => Promise.resolve());
  expect([status, body.code]).toEqual([502, 'timeout']);
});
