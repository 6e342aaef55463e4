import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigSource, readConfig } from './config-source.ts';
import { Changes } from './link/fixtures/changes.ts';
import { ManualTimers } from './link/fixtures/manual-timers.ts';
import { TIMERS, type Timers } from './link/timers.ts';
import { watchConfig } from './watch-config.ts';

setDefaultTimeout(30_000);

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-watch-'));
  path = join(folder, 'svc.yaml');
  writeFileSync(path, fileWith('one'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A watcher that never polls: it notices only events of the file system. */
const EVENTS_ALONE: Timers = {
  ...TIMERS,
  after: (ms, action) => (ms >= 500 ? () => {} : TIMERS.after(ms, action)),
};

function fileWith(...names: string[]): string {
  return `version: 1\nendpoints: [${names.map((name) => `{name: ${name}, command: echo}`).join(', ')}]\n`;
}

class Watched extends Changes {
  readonly sources: ConfigSource[] = [];
  readonly close: () => void;

  constructor(timers: Timers = TIMERS, known = readConfig(path, [])) {
    super();
    const close = watchConfig(path, known, (source) => this.#report(source), timers);
    this.close = close;
  }

  /** The outcome of the last change. */
  get last(): string {
    const source = this.sources.at(-1);
    if (source?.kind === 'config') return source.config.endpoints.map(({ slug }) => slug).join();
    return source?.kind ?? 'nothing';
  }

  reported(last: string): Promise<unknown> {
    return this.until(() => this.last === last);
  }

  #report(source: ConfigSource): void {
    this.sources.push(source);
    this.changed();
  }
}

test('an event of the file system reports a change, whether the file is written or replaced', async () => {
  const watched = new Watched(EVENTS_ALONE);
  writeFileSync(path, fileWith('two'));
  await watched.reported('two');
  writeFileSync(path, fileWith('three'));
  await watched.reported('three');
  writeFileSync(`${path}.new`, fileWith('four'));
  renameSync(`${path}.new`, path);
  await watched.reported('four');
  rmSync(path);
  await watched.reported('unreadable');
  writeFileSync(path, fileWith('five'));
  await watched.reported('five');
  watched.close();
});

test('polling finds a change without an event of the file system', async () => {
  const watched = new Watched();
  renameSync(folder, `${folder}-away`);
  mkdirSync(folder);
  writeFileSync(path, fileWith('two'));
  await watched.reported('two');
  // A watcher of the old folder now watches it at its new place.
  writeFileSync(path, fileWith('three'));
  await watched.reported('three');
  watched.close();
  rmSync(`${folder}-away`, { recursive: true });
});

test('a change before the watch began is reported', async () => {
  const known = readConfig(path, []);
  writeFileSync(path, fileWith('two'));
  const watched = new Watched(EVENTS_ALONE, known);
  await watched.reported('two');
  watched.close();
});

test('a touch, a comment and another file are not reported', () => {
  const timers = new ManualTimers();
  const watched = new Watched(timers);
  const changes = [
    () => utimesSync(path, 1, 1),
    () => appendFileSync(path, '# a comment\n'),
    () => writeFileSync(join(folder, 'other.yaml'), 'rubbish'),
    () => writeFileSync(path, `# another\n${fileWith('one')}`),
  ];
  for (const change of changes) {
    change();
    timers.advance(1_000);
  }
  expect(watched.sources).toEqual([]);
  watched.close();
});

test('problems are reported once, and so is their end', () => {
  const timers = new ManualTimers();
  const watched = new Watched(timers);
  const changes = [
    () => writeFileSync(path, 'version: 2'),
    () => utimesSync(path, 1, 1),
    () => writeFileSync(path, fileWith('one')),
  ];
  for (const change of changes) {
    change();
    timers.advance(1_000);
  }
  expect(watched.sources.map(({ kind }) => kind)).toEqual(['problems', 'config']);
  watched.close();
});

test('a file is read only when it is completely written', async () => {
  const timers = new ManualTimers();
  const watched = new Watched(timers);
  timers.advance(100);
  writeFileSync(path, 'version: 1\nendpoints: [{name: tw');
  timers.advance(500);
  appendFileSync(path, 'o, command: echo}');
  timers.advance(50);
  appendFileSync(path, ']\n');
  timers.advance(50);
  expect(watched.sources).toEqual([]);
  timers.advance(50);
  expect(watched.last).toBe('two');
  watched.close();
  expect(timers.waitingMs).toEqual([]);
});

test('nothing is reported after the end', async () => {
  const first = new Watched();
  first.close();
  const second = new Watched();
  writeFileSync(path, fileWith('two'));
  await second.reported('two');
  second.close();
  expect(first.sources).toEqual([]);
});
