// Tests a disk that takes only a part of a line, by a limit on the file size of a separate process (setrlimit(2)).
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentState } from '../instance/state.ts';
import { readJournalText } from './read-journal.ts';

const LIMIT_KIB = 8;
const PROGRAM = join(import.meta.dir, '..', 'fixtures', 'fill-journal.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a disk that takes only a part of a line leaves no damage, and the journal continues', () => {
  const script = `trap '' XFSZ; ulimit -f ${(LIMIT_KIB * 1024) / 512}; exec "$@"`;
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    ...['sh', '-c', script, 'sh', process.execPath, PROGRAM, folder],
  ]);
  expect({ exitCode, stderr: String(stderr) }).toEqual({ exitCode: 0, stderr: '' });
  const { torn, forgotten, later } = JSON.parse(String(stdout)) as Record<string, string>;
  // A part of the line that did not fit had been written.
  expect(readJournalText(torn ?? '')).toMatchObject({ kind: 'sound', isTorn: true });
  const after = readJournalText(readFileSync(join(folder, 'journal'), 'utf8'));
  expect(after).toMatchObject({ kind: 'sound', isTorn: false });
  const state = AgentState.open(folder);
  state.close();
  expect(state.damage).toBeUndefined();
  expect(state.left.has(forgotten ?? '')).toBe(false);
  expect(state.left.has(later ?? '')).toBe(true);
});
