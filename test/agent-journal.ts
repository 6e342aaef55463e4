import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '@svc/agent/link/journal/journal';
import { untilLook } from './files.ts';

/** The journal of the one agent that has its state in this folder. */
export function journalPath(stateDir: string): string {
  const [name = ''] = readdirSync(stateDir);
  return join(stateDir, name, '0', 'journal');
}

/** Settles when the journal has this in it. */
export function journaled(stateDir: string, text: string): Promise<void> {
  const path = journalPath(stateDir);
  return untilLook(() => readFileSync(path, 'utf8').includes(text));
}

/** Settles when nothing is left in the journal that would have to be told to a hub. */
export function allForgotten(stateDir: string): Promise<void> {
  const path = journalPath(stateDir);
  return untilLook(() => readJournal(path).size === 0);
}
