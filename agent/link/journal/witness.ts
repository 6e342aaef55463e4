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
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LineMark } from './line.ts';
import { isUuid } from './record.ts';

/** The content of a witness. */
export interface Testimony {
  /**
   * Created with the witness and sent to hubs. A hub trusts a journal while this stays the same (decision 61, the journal
   * proves itself).
   */
  readonly boot: string;
  readonly mark: LineMark;
}

/** The instance that owns the journal. */
export interface Of {
  readonly instance: string;
  readonly stateFolder: string;
  /** The boot id of the machine. */
  readonly machineBoot: string;
}

/** The part that every line of the journal rewrites. */
const MARK_CHARS = 34;

/**
 * The last position of a journal, in a file in memory. The file survives the process, ends when the machine restarts, and
 * is in no copy of the state folder. It is written after the journal and before a command starts, so a journal without the
 * line that it names was cut, exchanged or restored.
 */
export class Witness {
  readonly #file: number;
  readonly #markAt: number;
  readonly #bytes = Buffer.alloc(MARK_CHARS);

  /** Replaces an existing witness. Undefined if this user has no memory for files. */
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

  /** The witness of an earlier process of this instance since the machine started; undefined if there is none. */
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

  /**
   * Writes another position of the same journal into the witness of an earlier process; without one, it does nothing. It writes in
   * place, so a full disk does not matter. After a failure the witness is as it was, and names an earlier position.
   */
  static note(instance: string, machineBoot: string, mark: LineMark): void {
    const path = pathOf(instance);
    if (path === undefined || Witness.read(instance, machineBoot) === undefined) return;
    try {
      const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
      try {
        writeSync(file, markText(mark), statSync(path).size - MARK_CHARS, 'latin1');
      } finally {
        closeSync(file);
      }
    } catch {
      return;
    }
  }

  /** Removes the witness of an earlier process: it would name an old position for ever, and a later journal would look damaged. */
  static forget(instance: string): void {
    const path = pathOf(instance);
    if (path !== undefined) rmSync(path, { force: true });
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

/** Other users may write into the parent folder, so only files of this user count. */
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
      // Another process has removed the file or is about to write it.
    }
  }
}
