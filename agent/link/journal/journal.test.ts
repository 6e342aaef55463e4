import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Journal, type Journaled, type JournaledEnd } from './journal.ts';

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

/** What the next process finds. */
function reopened(): Map<string, Journaled> {
  const { journal, left } = Journal.open(path);
  journal.close();
  return new Map(left);
}

function journalled(write: (journal: Journal) => void): Map<string, Journaled> {
  const { journal } = Journal.open(path);
  write(journal);
  journal.close();
  return reopened();
}

test('what was begun and not forgotten is found by the next process', () => {
  expect(journalled((journal) => journal.started(ID))).toEqual(new Map([[ID, { kind: 'started' }]]));
  const ended = { kind: 'ended' as const, ...endOf(ID, ['AQI=']) };
  expect(journalled((journal) => journal.ended(ID, endOf(ID, ['AQI='])))).toEqual(new Map([[ID, ended]]));
  expect(journalled((journal) => journal.forgotten(ID))).toEqual(new Map());
});

test('whatever happens to executions, the next process finds those that are not forgotten', () => {
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  const step = fc.tuple(fc.constantFrom('started', 'ended', 'forgotten', 'reopen'), fc.constantFrom(...ids));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      rmSync(path, { force: true });
      const model = new Map<string, Journaled>();
      let { journal } = Journal.open(path);
      for (const [what, id] of steps) {
        if (what === 'started') {
          journal.started(id);
          model.set(id, { kind: 'started' });
        } else if (what === 'ended') {
          journal.ended(id, endOf(id));
          model.set(id, { kind: 'ended', ...endOf(id) });
        } else if (what === 'forgotten') {
          journal.forgotten(id);
          model.delete(id);
        } else {
          journal.close();
          journal = Journal.open(path).journal;
        }
      }
      journal.close();
      expect(reopened()).toEqual(model);
    }),
    { numRuns: 300 },
  );
});

describe('what a crash left of the file', () => {
  test('a last line that was torn anywhere is as if it had not been written', () => {
    const { journal } = Journal.open(path);
    journal.started(ID);
    const whole = statSync(path).size;
    journal.ended(ID, endOf(ID));
    journal.close();
    const text = readFileSync(path, 'utf8');
    for (let length = whole; length < text.length - 1; length += 1) {
      rmSync(path);
      appendFileSync(path, text.slice(0, length));
      expect(reopened()).toEqual(new Map([[ID, { kind: 'started' }]]));
    }
  });

  test('lines behind a torn one still count', () => {
    const { journal } = Journal.open(path);
    journal.started(ID);
    journal.close();
    truncateSync(path, statSync(path).size - 5);
    appendFileSync(path, `\n{"started":"${OTHER}"}\n`);
    expect(reopened()).toEqual(new Map([[OTHER, { kind: 'started' }]]));
  });

  test.each([
    '\0\0\0\0',
    '{}',
    '[]',
    'null',
    '{"ended":"x"}',
    '{"ended":"x","frame":{"type":"hello"}}',
    '{"started":1}',
  ])('a line %j says nothing', (line) => {
    appendFileSync(path, `${line}\n{"started":"${ID}"}\n`);
    expect(reopened()).toEqual(new Map([[ID, { kind: 'started' }]]));
  });
});

test('the file stays small however many executions there are, and keeps the one that goes on', () => {
  const { journal } = Journal.open(path);
  journal.started(OTHER);
  const output = ['A'.repeat(60_000)];
  for (let n = 0; n < 1_000; n += 1) {
    const id = crypto.randomUUID();
    journal.started(id);
    journal.ended(id, endOf(id, output));
    journal.forgotten(id);
  }
  expect(statSync(path).size).toBeLessThan(9 * 1024 * 1024);
  journal.close();
  expect(reopened()).toEqual(new Map([[OTHER, { kind: 'started' }]]));
});

test('others cannot read it', () => {
  journalled((journal) => journal.started(ID));
  expect(statSync(path).mode & 0o077).toBe(0);
});

test('what cannot be written is an error, so that nothing starts', () => {
  const { journal } = Journal.open(path);
  journal.close();
  expect(() => journal.started(ID)).toThrow();
});
