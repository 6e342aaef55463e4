// A SQLite file that is damaged while a hub serves from it (decision 65, damage of the store): the hub reports it in its log,
// at /health and /ready, in its metrics and to operators, and writes nothing more into it.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Seeded } from '../cluster/chaos/seeded.ts';
import {
  findingsIn,
  flipBits,
  indexesOf,
  overwritePage,
  overwriteText,
  replaceFile,
  rootPage,
  tidyLog,
} from '../damage.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { pollPause } from '../until.ts';

setDefaultTimeout(120_000);

const ENDPOINTS = [{ name: 'job', command: 'true' }];
const ASYNC = { headers: { prefer: 'respond-async' } };
const DAY_MS = 24 * 60 * 60 * 1000;
const EXECUTIONS = 120;
const DAMAGES = Number(process.env.SVC_TEST_DAMAGES ?? 24);
/** Every list and statistic that a member may ask for. */
const READS = [
  '/executions?limit=100',
  '/executions?status=succeeded&limit=100',
  '/executions?endpoint=job&limit=100',
  '/executions/stats',
  '/endpoints',
  '/agents',
  '/usage',
  '/audit',
  '/api-keys',
  '/schedules',
  '/alerts',
  '/approvals',
];

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const LOGGED = /"msg":"the store is damaged"/;
const logged = () => world.logLines.filter((line) => LOGGED.test(line));
const checked = () => world.logLines.filter((line) => line.includes('the store was checked')).length;

/** Many executions with their output, on record and in the file. */
async function fill(): Promise<void> {
  await using agent = await world.agent({ endpoints: ENDPOINTS });
  for (let n = 0; n < EXECUTIONS; n += 1) {
    const called = world.call('job', ASYNC);
    await agent.answer(`${'output '.repeat(40)}${n}\n`);
    expect((await called).status).toBe(202);
    await agent.receive('ended_ack');
  }
  tidyLog(world.dataDir);
}

async function statusOf(path: string): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(`${world.hub.hubUrl}${path}`);
  return [response.status, (await response.json()) as Record<string, unknown>];
}

/** Whether any of the reads found damage. */
async function read(): Promise<boolean> {
  // A later write makes the hub read the file again.
  await world.call('job', ASYNC);
  let isHit = false;
  for (const path of READS) {
    const text = await (await world.manage(path)).text();
    isHit ||= /malformed|not a database|is damaged/.test(text);
  }
  return isHit;
}

async function expectReported(): Promise<void> {
  const [health, body] = await statusOf('/health');
  expect([health, body.status]).toEqual([503, 'failing']);
  expect(await statusOf('/ready')).toEqual([503, { ready: false, store: 'damaged' }]);
  expect(await (await fetch(`${world.hub.hubUrl}/metrics`)).text()).toMatch(/^svc_store_damaged 1$/m);
  const [line = '{}'] = logged();
  expect(logged()).toHaveLength(1);
  expect(JSON.parse(line)).toMatchObject({ whatToDo: expect.stringContaining('svc admin check') });
  // Nothing is written into it any more, so nothing new is begun.
  expect((await world.call('job', ASYNC)).status).toBe(503);
}

/** The answer of /ready, with as many lines in the log before the answer as after it: the hub also works between requests. */
async function readyWith(count: () => number): Promise<{ readonly ready: number; readonly lines: number }> {
  for (;;) {
    const lines = count();
    const [ready] = await statusOf('/ready');
    if (count() === lines) return { ready, lines };
  }
}

async function untilChecked(times: number): Promise<void> {
  while (checked() < times) {
    const failed = world.logLines.find((line) => line.includes('the store was not checked'));
    if (failed !== undefined) throw new Error(failed);
    await pollPause();
  }
}

describe('a hub whose file is damaged while it serves', () => {
  test('reports it as soon as a read meets a damaged index', async () => {
    await fill();
    expect(await statusOf('/ready')).toEqual([200, { ready: true }]);
    for (const name of indexesOf(world.dataDir, 'executions'))
      overwritePage(world.dataDir, rootPage(world.dataDir, name));
    expect(await read()).toBe(true);
    await expectReported();
    // Once is enough, however many readers come.
    await read();
    await expectReported();
  });

  test('reports it as soon as a read or a write meets a damaged table', async () => {
    await fill();
    overwritePage(world.dataDir, rootPage(world.dataDir, 'executions'));
    expect(await read()).toBe(true);
    await expectReported();
  });

  test('finds damage by itself, once a day, in pages that no query reads', async () => {
    await fill();
    await untilChecked(1);
    overwritePage(world.dataDir, rootPage(world.dataDir, 'device_codes'));
    expect(await read()).toBe(false);
    expect(await statusOf('/ready')).toEqual([200, { ready: true }]);
    world.clock.move(DAY_MS);
    await untilChecked(2);
    await expectReported();
  });

  test('finds damage of the schema, of which SQLite says only that it has a mistake', async () => {
    await fill();
    await untilChecked(1);
    overwriteText(world.dataDir, 'contentless_delete', 'contenvless_delete');
    world.clock.move(DAY_MS);
    while (logged().length === 0) await pollPause();
    await expectReported();
    expect(logged()[0]).toContain('the schema cannot be read: unrecognized option');
  });

  test('finds after its start what was damaged while it was stopped', async () => {
    await fill();
    await world.restart(async () => {
      overwritePage(world.dataDir, rootPage(world.dataDir, 'device_codes'));
    });
    while (logged().length === 0) await pollPause();
    await expectReported();
  });

  test('takes calls again when a sound file is in its place and it is restarted', async () => {
    await fill();
    const sound = join(world.dataDir, 'sound.db');
    await world.admin((admin) => admin.backup(sound));
    overwritePage(world.dataDir, rootPage(world.dataDir, 'executions'));
    expect(await read()).toBe(true);
    await expectReported();
    await world.restart(async () => replaceFile(world.dataDir, sound));
    expect(await statusOf('/ready')).toEqual([200, { ready: true }]);
    await using agent = await world.agent({ endpoints: ENDPOINTS });
    const called = world.call('job');
    await agent.answer('after\n');
    expect(await (await called).json()).toMatchObject({ output: 'after\n', exit_code: 0 });
  });
});

test(`each of ${DAMAGES} random damages that a read or the daily check meets is reported`, async () => {
  await fill();
  const sound = join(world.dataDir, 'sound.db');
  await world.hub.stop({ graceMs: 0 });
  copyFileSync(join(world.dataDir, 'svc.db'), sound);
  const seed = Seeded.seed();
  const seeded = new Seeded(seed);
  let met = 0;
  for (let n = 0; n < DAMAGES; n += 1) {
    let [linesBefore, checksBefore] = [0, 0];
    await world.restart(async () => {
      // The earlier hub has stopped. Until then it may have found the damage in its own file.
      [linesBefore, checksBefore] = [logged().length, checked()];
      replaceFile(world.dataDir, sound);
    });
    await untilChecked(checksBefore + 1);
    flipBits(world.dataDir, seeded.between(5, 60), () => seeded.next());
    const isHit = await read();
    if (!isHit) {
      const before = checked();
      world.clock.move(DAY_MS);
      await untilChecked(before + 1);
    }
    const isDamaged = isHit || findingsIn(world.dataDir, 'quick').length > 0;
    const { ready, lines } = await readyWith(() => logged().length - linesBefore);
    const what = { seed, n, lines, said: logged().slice(linesBefore) };
    expect({ ...what, ready }).toEqual({ ...what, ready: lines === 0 ? 200 : 503 });
    if (isDamaged) expect(what).toEqual({ ...what, lines: 1 });
    // A write may meet an index that lacks its row, which only the full check compares: no hub raises a false alarm.
    else if (lines > 0) {
      const isReal = findingsIn(world.dataDir, 'full').length > 0;
      expect({ ...what, isReal }).toEqual({ ...what, isReal: true });
    }
    if (isDamaged) met += 1;
  }
  expect(met).toBeGreaterThan(0);
});
