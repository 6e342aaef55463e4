// A caller that goes away: the command continues, unless its endpoint has on_disconnect: cancel (decision 21, callers that
// leave, and slow readers).
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilExists } from '../files.ts';
import { readText } from '../read-text.ts';
import { serveWorld, type World } from '../world.ts';

/** Leaves a trace in files of this prefix when it has begun, got SIGTERM, or ended by itself. */
const leavesTraces = (prefix: string) =>
  [
    `trap 'touch ${prefix}-terminated; exit 1' TERM`,
    `touch ${prefix}-begun`,
    'echo begun',
    `until [ -e ${prefix}-go ]; do sleep 0.02; done`,
    'head -c 3000000 /dev/zero',
    `touch ${prefix}-finished`,
  ].join('\n');

let world: World;
beforeAll(async () => {
  world = await serveWorld(
    ['a', 'b'].flatMap((prefix) => [
      { name: `continue-${prefix}`, command: leavesTraces(`continue-${prefix}`) },
      { name: `cancel-${prefix}`, command: leavesTraces(`cancel-${prefix}`), on_disconnect: 'cancel' },
    ]),
  );
});
afterAll(() => world[Symbol.asyncDispose]());

const trace = (name: string, what: string) => join(world.folder, `${name}-${what}`);

/** Calls, waits until the command has begun, and goes away. */
async function callAndLeave(name: string, accept: string): Promise<void> {
  const caller = new AbortController();
  const called = fetch(`${world.url}/${name}`, { headers: { accept }, signal: caller.signal });
  if (accept === 'text/event-stream') expect((await readText(await called).next()).value).toContain('begun');
  await untilExists(trace(name, 'begun'));
  caller.abort();
  await called.catch(() => {});
}

test.each([
  ['continue-a', 'text/event-stream'],
  ['continue-b', 'application/json'],
])('%s: the command of a caller that leaves its %s answer runs to its end', async (name, accept) => {
  await callAndLeave(name, accept);
  writeFileSync(trace(name, 'go'), '');
  await untilExists(trace(name, 'finished'));
  expect(existsSync(trace(name, 'terminated'))).toBe(false);
});

test.each([
  ['cancel-a', 'text/event-stream'],
  ['cancel-b', 'application/json'],
])('%s: the command of a caller that leaves its %s answer gets SIGTERM', async (name, accept) => {
  await callAndLeave(name, accept);
  await untilExists(trace(name, 'terminated'));
  expect(existsSync(trace(name, 'finished'))).toBe(false);
});
