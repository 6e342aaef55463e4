import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs } from '../../../test/effort.ts';
import { assessState } from '../instance/assess-state.ts';
import { AgentState } from '../instance/state.ts';
import { Journal } from './journal.ts';
import { BEFORE_ALL, type LineMark } from './line.ts';
import { readJournalText } from './read-journal.ts';
import type { Journaled, JournaledEnd } from './record.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-journal-'));
  path = join(folder, 'journal');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const OTHER = '01890a5d-ac96-774b-bcce-b302099a8058';

function endOf(id: string, output?: readonly string[]): JournaledEnd {
  const ending = { kind: 'exited', exit_code: 0, duration_ms: 1 } as const;
  return { frame: { type: 'ended', execution_id: id, last_seq: 3, ending }, output };
}

/** The records that the next process finds. */
function reopened(): Map<string, Journaled> {
  const state = AgentState.open(folder);
  state.close();
  expect(state.damage).toBeUndefined();
  return new Map(state.left);
}

function journalled(write: (journal: Journal) => void): Map<string, Journaled> {
  const state = AgentState.open(folder);
  write(state.journal);
  state.close();
  return reopened();
}

test('the next process finds every record that was not forgotten', () => {
  expect(journalled((journal) => journal.started(ID))).toEqual(new Map([[ID, { kind: 'started' }]]));
  const ended = { kind: 'ended' as const, ...endOf(ID, ['AQI=']) };
  expect(journalled((journal) => journal.ended(ID, endOf(ID, ['AQI='])))).toEqual(new Map([[ID, ended]]));
  expect(journalled((journal) => journal.forgotten(ID))).toEqual(new Map());
});

test('after any sequence of changes, the next process finds the records that were not forgotten', () => {
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  const step = fc.tuple(fc.constantFrom('started', 'ended', 'forgotten', 'reopen'), fc.constantFrom(...ids));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      rmSync(folder, { recursive: true });
      folder = mkdtempSync(join(tmpdir(), 'svc-journal-'));
      const model = new Map<string, Journaled>();
      let state = AgentState.open(folder);
      for (const [what, id] of steps) {
        if (what === 'started') {
          state.journal.started(id);
          model.set(id, { kind: 'started' });
        } else if (what === 'ended') {
          state.journal.ended(id, endOf(id));
          model.set(id, { kind: 'ended', ...endOf(id) });
        } else if (what === 'forgotten') {
          state.journal.forgotten(id);
          model.delete(id);
        } else {
          state.close();
          state = AgentState.open(folder);
        }
      }
      state.close();
      expect(reopened()).toEqual(model);
    }),
    { numRuns: runs(200) },
  );
});

describe('the text of a journal', () => {
  function written(): string {
    const { journal } = AgentState.open(folder);
    journal.started(ID);
    journal.started(OTHER);
    journal.ended(ID, endOf(ID));
    return readFileSync(path, 'utf8');
  }

  test('is trusted except for a torn last line', () => {
    const text = written();
    const whole = text.lastIndexOf('\n', text.length - 2) + 1;
    for (let length = whole; length < text.length; length += 1) {
      const read = readJournalText(text.slice(0, length));
      expect(read).toMatchObject({ kind: 'sound', isTorn: length > whole });
      expect('left' in read && [...read.left.values()].map(({ kind }) => kind)).toEqual([
        'started',
        'started',
      ]);
    }
  });

  test('shows every flipped bit before its last line', () => {
    const bytes = Buffer.from(written());
    const end = bytes.lastIndexOf('\n', bytes.length - 2);
    for (let at = 0; at < end; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = Buffer.from(bytes);
        flipped.writeUInt8((bytes[at] ?? 0) ^ (1 << bit), at);
        expect(readJournalText(flipped.toString()).kind).toBe('damaged');
      }
  });

  test('shows two exchanged lines and a missing one', () => {
    const [first, a, b, c] = written().split('\n');
    expect(readJournalText(`${first}\n${b}\n${a}\n${c}\n`).kind).toBe('damaged');
    expect(readJournalText(`${first}\n${a}\n${c}\n`)).toMatchObject({ isTorn: true });
    expect(readJournalText(`${first}\n${b}\n${c}\n`).kind).toBe('damaged');
  });
});

test('a record that cannot be written leaves the file as it was', () => {
  const state = AgentState.open(folder);
  state.journal.started(ID);
  const before = statSync(path).size;
  // JSON cannot encode a bigint. full-disk.test.ts tests a full disk.
  expect(() => state.journal.ended(ID, { ...endOf(ID), output: [1n as unknown as string] })).toThrow();
  expect(statSync(path).size).toBe(before);
  state.journal.started(OTHER);
  state.close();
  expect([...reopened().keys()]).toEqual([ID, OTHER]);
});

test('the file stays small however many executions there are, and keeps the running one', () => {
  const state = AgentState.open(folder);
  state.journal.started(OTHER);
  const output = ['A'.repeat(60_000)];
  for (let n = 0; n < 1_000; n += 1) {
    const id = crypto.randomUUID();
    state.journal.started(id);
    state.journal.ended(id, endOf(id, output));
    state.journal.forgotten(id);
  }
  expect(statSync(path).size).toBeLessThan(9 * 1024 * 1024);
  state.close();
  expect(reopened()).toEqual(new Map([[OTHER, { kind: 'started' }]]));
});

test('a process that is killed while its file is replaced leaves a journal that its witness trusts', () => {
  const header = { instance: OTHER, boot: 'b1', after: BEFORE_ALL };
  const isTrusted = ({ text, witness }: { text: string; witness: LineMark }) =>
    assessState({
      instance: { kind: 'sound', id: OTHER },
      journal: readJournalText(text),
      witnessOf: () => ({ boot: 'b1', mark: witness }),
      machineBoot: 'b1',
    }).kind === 'same';
  // What a kill would leave before and after each write of the witness: the last ones before a replacement, and the first ones after it.
  let last: { inode: number; witness: LineMark } | undefined;
  let recent: { text: string; witness: LineMark }[] = [];
  const replacements: boolean[][] = [];
  const onPosition = (mark: LineMark) => {
    const [text, inode] = [readFileSync(path, 'utf8'), statSync(path).ino];
    recent = [...recent.slice(-2), { text, witness: last?.witness ?? mark }, { text, witness: mark }];
    if (last !== undefined && inode !== last.inode) replacements.push(recent.map(isTrusted));
    last = { inode, witness: mark };
  };
  const journal = new Journal({ path, header, left: new Map(), onPosition });
  const output = ['A'.repeat(600_000)];
  for (let n = 0; n < 40; n += 1) {
    const id = crypto.randomUUID();
    journal.started(id);
    journal.ended(id, endOf(id, output));
    journal.forgotten(id);
  }
  journal.rename({ instance: OTHER, boot: 'b1' });
  journal.close();
  expect(replacements).toEqual(Array(4).fill([true, true, true, true]));
});

test('the journal of a version before checksums is converted', () => {
  writeFileSync(join(folder, 'instance'), `${OTHER}\n`);
  writeFileSync(path, `{"started":"${ID}"}\n{"start`);
  const state = AgentState.open(folder);
  state.close();
  expect(state).toMatchObject({ instance: OTHER, damage: undefined });
  expect(reopened()).toEqual(new Map([[ID, { kind: 'started' }]]));
});
