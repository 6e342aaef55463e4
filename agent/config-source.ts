import { closeSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Config, parseConfig } from '@svc/core/config/parse-config';
import type { ConfigProblem } from '@svc/core/config/problem';
import { LIMITS } from '@svc/core/plan/limits';

/** The outcome of reading a config file. */
export type ConfigSource =
  | {
      readonly kind: 'config';
      readonly config: Config;
      /** Warnings about keys without effect. */
      readonly warnings: readonly ConfigProblem[];
      /** The absolute folder of the file, in which commands run (decision 12, the environment of a command). */
      readonly folder: string;
    }
  | { readonly kind: 'problems'; readonly problems: readonly ConfigProblem[] }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason; readonly message: string };

export type UnreadableReason = 'missing' | 'folder' | 'forbidden' | 'other';

/** Reads and checks a config file. `takenNames` are the names that the server reserves, by default those of `svc serve`. */
export function readConfig(path: string, takenNames: readonly string[] = TAKEN_SLUGS): ConfigSource {
  const read = readText(path);
  if (read.kind === 'unreadable') return read;
  const parsed = parseConfig(read.text, takenNames);
  return parsed.kind === 'problems' ? parsed : { ...parsed, folder: dirname(resolve(path)) };
}

type Text = { readonly kind: 'text'; readonly text: string } | Extract<ConfigSource, { kind: 'unreadable' }>;

function readText(path: string): Text {
  try {
    // Invalid UTF-8 becomes U+FFFD, which the parser refuses with its place.
    return { kind: 'text', text: readBytes(path).toString() };
  } catch (error) {
    return unreadable(path, error);
  }
}

/** Reads one byte more than the limit at most: the path may lead to a device without an end. */
function readBytes(path: string): Buffer {
  const bytes = Buffer.allocUnsafe(LIMITS.configBytes + 1);
  const file = openSync(path, 'r');
  try {
    let length = 0;
    let count: number;
    do {
      count = readSync(file, bytes, length, bytes.length - length, null);
      length += count;
    } while (count > 0 && length < bytes.length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

const UNREADABLE: ReadonlyMap<string | undefined, readonly [UnreadableReason, string]> = new Map([
  ['ENOENT', ['missing', 'does not exist']],
  ['ENOTDIR', ['missing', 'does not exist']],
  ['EISDIR', ['folder', 'is a folder, not a config file']],
  ['EACCES', ['forbidden', 'may not be read by this user']],
  ['EPERM', ['forbidden', 'may not be read by this user']],
]);

function unreadable(path: string, error: unknown): Text {
  const { code, message } = error as NodeJS.ErrnoException;
  const [reason, what] = UNREADABLE.get(code) ?? ['other', `cannot be read: ${message}`];
  return { kind: 'unreadable', reason, message: `${path} ${what}` };
}

/** The names of this server's own routes, which no endpoint can have (decision 51, the standalone server). */
export const TAKEN_SLUGS = ['health', 'endpoints'] as const;
