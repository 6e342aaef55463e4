import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '@svc/agent/link/fixtures/read-journal';
import { formLine } from '@svc/agent/link/journal/line';
import { readJournalFile } from '@svc/agent/link/journal/read-journal';
import { untilPoll } from './files.ts';

/** The name of an agent, and a part of the hash of its hub. */
const INSTANCE_ROOT = /-[0-9a-f]{12}$/;

/** The journal of the one agent that has its state in this folder. */
export function journalPath(stateDir: string): string {
  // Beside the folder of the agent there is the one of used approvals.
  const name = readdirSync(stateDir).find((one) => INSTANCE_ROOT.test(one)) ?? '';
  return join(stateDir, name, '0', 'journal');
}

/** Settles when the journal has this in it. */
export function journaled(stateDir: string, text: string): Promise<void> {
  const path = journalPath(stateDir);
  return untilPoll(() => readFileSync(path, 'utf8').includes(text));
}

/** Settles when the journal has nothing left to send to a hub. */
export function allForgotten(stateDir: string): Promise<void> {
  const path = journalPath(stateDir);
  return untilPoll(() => readJournal(path).size === 0);
}

/** Adds the line that an agent writes before it starts the command of an execution. */
export function journalStarted(stateDir: string, id: string): void {
  const path = journalPath(stateDir);
  const journal = readJournalFile(path);
  if (journal.kind !== 'sound') throw new Error(`the journal is ${journal.kind}`);
  appendFileSync(path, formLine(journal.last, JSON.stringify({ started: id })).text);
}
