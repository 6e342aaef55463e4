import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualTimers } from './link/fixtures/manual-timers.ts';
import { type ShortageEvent, Shortages } from './shortages.ts';

let folder: string;
let timers: ManualTimers;
let events: ShortageEvent[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-shortages-'));
  timers = new ManualTimers();
  events = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const watching = (stateFolder = folder) =>
  new Shortages({ stateFolder, timers, onEvent: (event) => events.push(event) });
const full = () => Object.assign(new Error('no space left'), { code: 'ENOSPC' });

test('an episode lasts until nothing has failed for five seconds', () => {
  using shortages = watching();
  for (let n = 0; n < 10; n += 1) {
    shortages.met('descriptors');
    timers.advance(4_999);
  }
  expect(events).toEqual([{ kind: 'shortage', shortage: 'descriptors' }]);
  timers.advance(1);
  expect(events.slice(1)).toEqual([{ kind: 'shortage_over', shortage: 'descriptors' }]);
  shortages.met('descriptors');
  expect(events.slice(2)).toEqual([{ kind: 'shortage', shortage: 'descriptors' }]);
});

test('two shortages are two episodes, and the trial of one leaves nothing behind', () => {
  using shortages = watching();
  for (const shortage of ['disk', 'processes', 'descriptors'] as const) shortages.met(shortage);
  timers.advance(5_000);
  expect(events.map(({ kind, shortage }) => [kind, shortage])).toEqual([
    ['shortage', 'disk'],
    ['shortage', 'processes'],
    ['shortage', 'descriptors'],
    ['shortage_over', 'disk'],
    ['shortage_over', 'processes'],
    ['shortage_over', 'descriptors'],
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('one event stands for all failures of a shortage; every other event is passed on', () => {
  using shortages = watching();
  const passed: unknown[] = [];
  const onEvent = shortages.explaining((event) => passed.push(event));
  const bug = { kind: 'trouble', message: 'a bug', cause: new Error('undefined is not a function') } as const;
  for (let n = 0; n < 3; n += 1) onEvent({ kind: 'trouble', message: 'the journal', cause: full() });
  onEvent(bug);
  expect([events, passed]).toEqual([[{ kind: 'shortage', shortage: 'disk' }], [bug]]);
});

test('no trial runs after disposal', () => {
  watching()[Symbol.dispose]();
  const shortages = watching();
  shortages.met('disk');
  shortages[Symbol.dispose]();
  timers.advance(60_000);
  expect(events).toHaveLength(1);
});
