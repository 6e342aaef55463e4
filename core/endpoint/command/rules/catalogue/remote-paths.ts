import { literalPrefix, literalText } from '../literal.ts';
import { markRefused, type Walk } from '../walk.ts';
import type { Fix, Rule } from './rule.ts';

/** Options of scp, sftp and rsync whose value runs, here or on the other host. */
const RUNNING = /^(?:-[A-Za-z0-9]*[eSoFDM]|--rsh|--rsync-path|--remote-option|--config)$/;

/**
 * The rule of commands that take `host:path`. A shell on that host parses the path, and a value that begins a word could
 * name a host: so a value may only stand behind a `/` that comes before any `:`, which makes the word a path of this machine.
 */
export function remotePaths(fix: Fix): Rule {
  return { kind: 'special', walk: (walk, at) => refuseRemoteWords(walk, at, fix) };
}

function refuseRemoteWords(walk: Walk, at: number, fix: Fix): void {
  const command = walk.chain.at(-1) ?? '';
  for (let i = at + 1; i < walk.words.length; i++) {
    const word = walk.words[i];
    const previous = walk.words[i - 1];
    if (word === undefined || previous === undefined) continue;
    const follows = RUNNING.test(literalText(previous) ?? '');
    if (isLocalPath(literalPrefix(word)) && !follows) continue;
    markRefused(
      walk,
      (use) =>
        `${command} could take ${use.shown} for a path on another host or an option: begin the word with ./ or a folder, or ${fix(use.variable)}`,
      i,
      i + 1,
    );
  }
}

function isLocalPath(prefix: string): boolean {
  const slash = prefix.indexOf('/');
  const colon = prefix.indexOf(':');
  return !prefix.startsWith('-') && slash !== -1 && (colon === -1 || slash < colon);
}
