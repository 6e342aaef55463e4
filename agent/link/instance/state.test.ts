import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onReturn } from '@svc/core/execution/recovery';
import { DAMAGES, type Damage, damage, randomOf } from '../fixtures/damage.ts';
import { AgentState } from './state.ts';

const ROUNDS = process.env.SVC_TEST_LONG === '1' ? 1_000 : 60;
const SEED = Number(process.env.SVC_TEST_SEED ?? 61);

let root: string;
let folder: string;
let older: string;
const opened: AgentState[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-state-'));
  [folder, older] = [join(root, 'state'), join(root, 'older')];
  cpSync(mkdtempSync(join(root, 'empty-')), folder, { recursive: true });
});
afterEach(() => {
  for (const state of opened.splice(0)) state.close();
  rmSync(root, { recursive: true });
});

/** The previous process was killed, so it closed and reported nothing. */
function opens(machineBoot?: string): AgentState {
  const state = AgentState.open(folder, () => 1_000, machineBoot);
  opened.push(state);
  return state;
}

const end = (id: string, output: string[] = []) => ({
  frame: {
    type: 'ended' as const,
    execution_id: id,
    last_seq: 0,
    ending: { kind: 'exited' as const, exit_code: 0, duration_ms: 1 },
  },
  output,
});

describe('a process that is killed', () => {
  test('continues as the same instance, with a journal proven to be complete', () => {
    const before = opens();
    const id = crypto.randomUUID();
    before.journal.started(id);
    const after = opens();
    expect([after.instance, after.boot]).toEqual([before.instance, before.boot]);
    expect([...after.left.keys()]).toEqual([id]);
    expect(after.damage).toBeUndefined();
  });

  test('in the middle of a line has not acted upon it: the torn line is ignored', () => {
    const before = opens();
    const id = crypto.randomUUID();
    before.journal.started(id);
    for (const piece of ['1', '12ab34cd 3 {"star', '00000000 9 {}\n']) {
      appendFileSync(join(folder, 'journal'), piece);
      const after = opens();
      expect([after.instance, after.boot]).toEqual([before.instance, before.boot]);
      expect([...after.left.keys()]).toEqual([id]);
    }
  });

  test.each(['journal first', 'instance first'])(
    'while it starts a new instance leaves a usable folder: %s',
    (which) => {
      const before = opens();
      writeFileSync(join(folder, 'journal'), '');
      cpSync(folder, older, { recursive: true });
      const renewed = opens();
      expect(renewed.renewed).toMatchObject({ replaces: before.instance, atMs: 1_000 });
      // The second write has not happened.
      const missing = which === 'journal first' ? 'instance' : 'journal';
      cpSync(join(older, missing), join(folder, missing));
      const after = opens();
      if (which === 'journal first') expect(after.instance).toBe(renewed.instance);
      else expect(after.renewed).toMatchObject({ replaces: renewed.instance });
    },
  );
});

const folderOfWitnesses = join(
  process.platform === 'linux' ? '/dev/shm' : tmpdir(),
  `svc-agent-${process.getuid?.()}`,
);

describe('a process that ends while it starts, after an earlier one whose last lines are not those of a beginning,', () => {
  // A folder in the place of a new file ends the process there. It leaves what a kill would leave.
  test.each([
    ['before the new journal', (_: string) => [join(folder, 'journal.new')]],
    [
      'before the new witness',
      (instance: string) => [join(folderOfWitnesses, `${instance}.new`), join(folder, 'instance.new')],
    ],
    ['before the file "instance"', (_: string) => [join(folder, 'instance.new')]],
  ])('leaves the same instance and a complete journal: %s', (_, placesOf) => {
    const before = opens();
    const [running, ended] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const id of [running, ended]) before.journal.started(id);
    before.journal.ended(ended, end(ended));
    const places = placesOf(before.instance);
    for (const place of places) mkdirSync(place);
    expect(opens).toThrow();
    for (const place of places) rmSync(place, { recursive: true });
    const after = opens();
    expect(after.damage).toBeUndefined();
    expect([after.instance, after.boot]).toEqual([before.instance, before.boot]);
    expect(after.left).toEqual(
      new Map([
        [running, { kind: 'started' }],
        [ended, { kind: 'ended', ...end(ended) }],
      ]),
    );
  });
});

test('a journal that is rewritten while there is no memory for a witness is not taken for damaged', () => {
  const before = opens();
  const place = join(folderOfWitnesses, `${before.instance}.new`);
  mkdirSync(place);
  const { journal } = opens();
  const kept = crypto.randomUUID();
  journal.started(kept);
  const output = ['A'.repeat(600_000)];
  for (let n = 0; n < 10; n += 1) {
    const id = crypto.randomUUID();
    journal.started(id);
    journal.ended(id, end(id, output));
    journal.forgotten(id);
  }
  rmSync(place, { recursive: true });
  const after = opens();
  expect([after.damage, after.instance]).toEqual([undefined, before.instance]);
  expect(after.boot).not.toBe(before.boot);
  expect([...after.left.keys()]).toEqual([kept]);
});

describe('a machine that was restarted', () => {
  test('keeps the instance and its executions, without proof of completeness', () => {
    const before = opens('boot-1');
    const id = crypto.randomUUID();
    before.journal.started(id);
    const after = opens('boot-2');
    expect(after.instance).toBe(before.instance);
    expect(after.boot).not.toBe(before.boot);
    expect([...after.left.keys()]).toEqual([id]);
  });

  test('may have lost the end of the journal', () => {
    const before = opens('boot-1');
    before.journal.started(crypto.randomUUID());
    const path = join(folder, 'journal');
    writeFileSync(path, readFileSync(path).subarray(0, -9));
    const after = opens('boot-2');
    expect(after).toMatchObject({ instance: before.instance, damage: undefined });
    expect(after.left.size).toBe(0);
  });
});

test.each([
  ['no journal', 'the file "journal" is missing'],
  ['nothing left of the journal', 'the journal has no first line'],
  ['a flipped bit in the last line', /^the journal is damaged: (?:it ends at line number 2 of 3|line 3)/],
  ['a flipped bit in the id', /^the file "instance" is damaged|of another instance/],
  ['an older journal', 'the journal is damaged: it ends at line number 1 of 3'],
  ['an older folder', 'the journal is damaged: it ends at line number 1 of 3'],
] as const)(
  '%s: a new instance reports the damage and the instance that it replaces',
  (kind: Damage, reason) => {
    const before = opens();
    cpSync(folder, older, { recursive: true });
    const ids = [crypto.randomUUID(), crypto.randomUUID()];
    for (const id of ids) before.journal.started(id);
    damage(folder, older, kind, randomOf(1));
    const after = opens();
    expect(after.instance).not.toBe(before.instance);
    expect(after.damage?.reason).toMatch(reason);
    expect(after.damage?.replaces === undefined || after.damage.replaces === before.instance).toBe(true);
    expect(after.left.size).toBe(0);
    // The next process does not report it again.
    expect(opens()).toMatchObject({ instance: after.instance, damage: undefined, renewed: after.damage });
  },
);

test('ids in an untrusted journal are listed, so that their processes can be killed', () => {
  const id = crypto.randomUUID();
  opens().journal.started(id);
  damage(folder, older, 'two lines exchanged', randomOf(3));
  expect(opens().strays).toContain(id);
});

test('an instance that a hub rejects is replaced, and the journal keeps its records', () => {
  const state = opens();
  const [id, { instance, boot }] = [crypto.randomUUID(), state];
  state.journal.started(id);
  const { seq } = state.journal.mark;
  state.renew('older than what the hub knows');
  expect(state.instance).not.toBe(instance);
  expect(state.boot).not.toBe(boot);
  expect(state.renewed).toEqual({ replaces: instance, atMs: 1_000, reason: 'older than what the hub knows' });
  expect(state.journal.mark.seq).toBeGreaterThan(seq);
  const after = opens();
  expect([after.instance, after.boot]).toEqual([state.instance, state.boot]);
  expect([...after.left.keys()]).toEqual([id]);
});

test(`${ROUNDS} damages of journals, seed ${SEED}: a hub never repeats an order that has begun`, () => {
  const random = randomOf(SEED);
  const below = (count: number) => Math.floor(random() * count);
  const found = new Map<Damage, number>();
  let state = opens();
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = new Set<string>();
    const copyAt = below(12);
    for (let step = 0; step < 12; step += 1) {
      if (step === copyAt) cpSync(folder, older, { recursive: true });
      const [running] = begun;
      if (running !== undefined && random() < 0.2) {
        state.journal.ended(running, end(running));
        if (random() < 0.5) {
          state.journal.forgotten(running);
          begun.delete(running);
        }
      } else {
        const id = crypto.randomUUID();
        state.journal.started(id);
        begun.add(id);
      }
    }
    const kind = DAMAGES[round % DAMAGES.length] ?? 'nothing';
    damage(folder, older, kind, random);
    const { instance, boot } = state;
    state = opens();
    if (state.damage !== undefined) found.set(kind, (found.get(kind) ?? 0) + 1);
    for (const id of begun) {
      const isKnown = state.instance === instance;
      const decided = onReturn({
        isInFlight: state.left.has(id),
        isSameBoot: state.boot === boot,
        isWanted: true,
        isCancelled: false,
      });
      // The hub never sends another instance the orders of this one.
      if (isKnown && decided === 'dispatch_again')
        throw new Error(`seed ${SEED}, round ${round}: after "${kind}" ${id} would run twice`);
    }
    if (kind === 'nothing') expect([...state.left.keys()].sort()).toEqual([...begun].sort());
    for (const id of state.left.keys()) state.journal.forgotten(id);
  }
  expect(found.get('nothing')).toBeUndefined();
  expect(found.get('no journal')).toBe(Math.ceil((ROUNDS - 7) / DAMAGES.length));
});
