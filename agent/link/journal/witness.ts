import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LineMark } from './line.ts';
import { isUuid } from './record.ts';

/** What a witness says. */
export interface Testimony {
  /** Made with the witness and sent to hubs: a hub trusts a journal for as long as this stays the same (decision 61). */
  readonly boot: string;
  readonly mark: LineMark;
}

/** Whose journal it is. */
export interface Of {
  readonly instance: string;
  readonly stateFolder: string;
  /** The start of the machine. */
  readonly machineBoot: string;
}

/** The part that is written again with each line of the journal. */
const MARK_CHARS = 34;

/**
 * How far a journal has come, in a file in memory: it survives the process, ends when the machine restarts, and is
 * in no copy of the state folder. It is written behind the journal and before a command starts, so a journal that does not have
 * the line that it names was cut, exchanged or restored.
 */
export class Witness {
  readonly #file: number;
  readonly #markAt: number;
  readonly #bytes = Buffer.alloc(MARK_CHARS);

  /** In place of one that was there. Undefined where there is no memory for files that belongs to this user. */
  static create({ instance, stateFolder, machineBoot }: Of, { boot, mark }: Testimony): Witness | undefined {
    const path = pathOf(instance);
    if (path === undefined) return undefined;
    try {
      const head = `${boot}\n${machineBoot}\n${JSON.stringify(stateFolder)}\n`;
      const witness = new Witness(`${path}.new`, head, mark);
      renameSync(`${path}.new`, path);
      return witness;
    } catch {
      return undefined;
    }
  }

  /** What an earlier process of this instance wrote since the machine was started; undefined when there is nothing. */
  static read(instance: string, machineBoot: string): Testimony | undefined {
    const path = pathOf(instance);
    if (path === undefined) return undefined;
    try {
      const [boot = '', machine, , mark = ''] = readFileSync(path, 'utf8').split('\n');
      return isUuid(boot) && machine === machineBoot ? testimonyOf(boot, mark) : undefined;
    } catch {
      return undefined;
    }
  }

  private constructor(path: string, head: string, mark: LineMark) {
    this.#markAt = Buffer.byteLength(head);
    const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW } = constants;
    this.#file = openSync(path, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, 0o600);
    writeSync(this.#file, `${head}${markText(mark)}`);
  }

  saw(mark: LineMark): void {
    this.#bytes.write(markText(mark), 'latin1');
    writeSync(this.#file, this.#bytes, 0, MARK_CHARS, this.#markAt);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Number, checksum, and a checksum of both. */
function markText({ seq, sum }: LineMark): string {
  const text = `${seq.toString(16).padStart(16, '0')}${sum.toString(16).padStart(8, '0')}`;
  return `${text} ${Bun.hash.crc32(text).toString(16).padStart(8, '0')}\n`;
}

function testimonyOf(boot: string, text: string): Testimony | undefined {
  const mark = { seq: Number.parseInt(text.slice(0, 16), 16), sum: Number.parseInt(text.slice(16, 24), 16) };
  return markText(mark) === `${text}\n` ? { boot, mark } : undefined;
}

function pathOf(instance: string): string | undefined {
  const folder = ownFolder();
  return folder === undefined ? undefined : join(folder, instance);
}

/** Other users may write into the parent folder, so only files of this user are used. */
function ownFolder(): string | undefined {
  const uid = process.getuid?.();
  const root = process.platform === 'linux' ? '/dev/shm' : tmpdir();
  const folder = join(root, `svc-agent-${uid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    return stat.isDirectory() && stat.uid === uid && (stat.mode & 0o077) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the witnesses of state folders that no longer exist. */
export function forgetGoneFolders(): void {
  const folder = ownFolder();
  if (folder === undefined) return;
  for (const name of readdirSync(folder)) {
    try {
      const path = join(folder, name);
      const [, , stateFolder = '""'] = readFileSync(path, 'utf8').split('\n');
      if (!existsSync(JSON.parse(stateFolder) as string)) rmSync(path, { force: true });
    } catch {
      // Another process has removed it, or is about to write it.
    }
  }
}
