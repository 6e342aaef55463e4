// When the output of an execution was written (decision 106, times of lines).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LineTime } from '@svc/core/execution/line-times';
import { MAX_LINE_TIMES } from '@svc/core/execution/line-times';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { journaled } from '../agent-journal.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(60_000);

const ASYNC = { headers: { prefer: 'respond-async' } };

let world: HubWorld;
let folder: TemporaryFolder;
let agent: RealAgent;
let gate: string;
beforeAll(async () => {
  world = await hubWorld();
  folder = await temporaryFolder();
  gate = join(folder.path, 'gate');
  expect(Bun.spawnSync(['mkfifo', gate]).exitCode).toBe(0);
  agent = await realAgent(world, [
    { name: 'gated', command: `sh -c "printf 'one\\ntwo\\n'; read line < ${gate}; sleep 0.2; echo three"` },
    {
      name: 'long',
      // Its first line has more than 64 KiB, so it takes three events.
      command: `sh -c 'printf %0150000d 0; printf "\\nfour\\n" >&2; sleep 0.2; echo "five $SVC_ARG_PASSWORD"'`,
      args: [{ name: 'password', secret: true, default: 'hunter2-hunter2' }],
    },
    { name: 'apart', command: 'sh -c "echo one; sleep 0.2; echo two >&2"', merge: false },
    { name: 'silent', command: 'true' },
    {
      name: 'parsed',
      command: 'echo no-json',
      transform: { parse: 'json', on_error: 'raw' },
    },
  ]);
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

interface Shown {
  readonly status: string;
  readonly output: string;
  readonly duration_ms: number;
  readonly line_times?: readonly LineTime[];
}

async function shown(id: string, query = '?with=line_times'): Promise<Shown> {
  return (await (await world.manage(`/executions/${id}${query}`)).json()) as Shown;
}

async function begin(slug: string): Promise<string> {
  const { execution_id: id } = (await (await world.call(slug, ASYNC)).json()) as { execution_id: string };
  return id;
}

async function ended(id: string): Promise<Shown> {
  await until(async () => !['queued', 'running'].includes((await shown(id, '?without=result')).status));
  return shown(id);
}

/** Settles when the output has this text. */
async function untilPrinted(id: string, text: string): Promise<void> {
  await until(async () => (await (await world.manage(`/executions/${id}/output`)).text()).includes(text));
}

test('the times are those of the output, also when the hub restarts in between', async () => {
  const id = await begin('gated');
  await untilPrinted(id, 'two');
  const printedMs = performance.now();
  await agent.through(() => world.restart());
  const openedMs = performance.now();
  await writeFile(gate, 'go\n');
  const { line_times: times = [], duration_ms: durationMs, output } = await ended(id);
  expect(output).toBe('one\ntwo\nthree\n');
  expect(times.map(([event]) => event)).toEqual([1, 3]);
  const [, third = 0] = times.map(([, ms]) => ms);
  expect(third).toBeGreaterThanOrEqual(Math.floor(openedMs - printedMs));
  expect(Math.abs(third - durationMs)).toBeLessThan(durationMs / 2);
  expect(await shown(id, '')).not.toHaveProperty('line_times');
});

test('the times reach the hub when command, hub and agent end while nothing is connected', async () => {
  const id = await begin('gated');
  await untilPrinted(id, 'two');
  await world.restart(async () => {
    await writeFile(gate, 'go\n');
    await journaled(agent.stateFolder, `"ended":"${id}"`);
    await agent.kill();
  });
  await agent.restart();
  const { line_times: times = [], output } = await ended(id);
  expect(output).toBe('one\ntwo\nthree\n');
  expect(times.map(([event]) => event)).toEqual([1, 3]);
});

test('a long line counts as its events, beside masked values and merged standard error', async () => {
  const id = await begin('long');
  const { line_times: times = [], output } = await ended(id);
  expect(output).toEndWith('\nfour\nfive ***\n');
  expect(times[0]?.[0]).toBe(1);
  expect(times.at(-1)?.[0]).toBe(5);
});

test('separate streams count together, in the order of arrival', async () => {
  const { line_times: times = [] } = await ended(await begin('apart'));
  expect(times.map(([event]) => event)).toEqual([1, 2]);
  expect((times[1]?.[1] ?? 0) - (times[0]?.[1] ?? 0)).toBeGreaterThanOrEqual(150);
});

test('there are none without output, or when the output waited for a transform', async () => {
  expect(await ended(await begin('silent'))).not.toHaveProperty('line_times');
  const parsed = await ended(await begin('parsed'));
  expect(parsed.output).toBe('no-json\n');
  expect(parsed).not.toHaveProperty('line_times');
});

test('an agent of a version before tells none, and more than the limit are refused', async () => {
  await using other = await world.agent({ name: 'old', endpoints: [{ name: 'old', command: 'true' }] });
  const ending = { kind: 'exited', exit_code: 0, duration_ms: 1 } as const;
  void world.call('old', ASYNC);
  const { execution_id: id } = await other.receive('run');
  other.say({ type: 'ended', execution_id: id, last_seq: 0, ending });
  expect(await ended(id)).not.toHaveProperty('line_times');
  const many = Array.from({ length: MAX_LINE_TIMES + 1 }, (_, n): [number, number] => [n + 1, n]);
  other.say({ type: 'ended', execution_id: id, last_seq: 0, ending, line_times: many });
  expect(await other.closed).toBe(CLOSE_CODES.bad_frame);
});
