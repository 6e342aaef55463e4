import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
/** A pipe without a writer would wait for ever without O_NONBLOCK. */
const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Why a file below the folder is not read, for people. */
export class NotReadable extends Error {}

/**
 * An open folder. Everything is opened from its descriptor, component by component, and no symbolic link is followed: a folder that
 * is swapped for a link while it is read leads nowhere (decision 72, artifacts).
 *
 * Linux only: `/proc/self/fd/N/name` is what openat takes elsewhere.
 */
export class OpenFolder implements AsyncDisposable {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Opens a folder that this program made, at a path whose parents only this program can change. */
  static async at(path: string): Promise<OpenFolder> {
    return new OpenFolder(await open(path, FOLDER));
  }

  /** Its entries by name. What an entry is may have changed when it is opened. */
  async entries(): Promise<{ readonly name: string; readonly isFolder: boolean }[]> {
    const entries = await readdir(`/proc/self/fd/${this.#handle.fd}`, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async folder(name: string): Promise<OpenFolder> {
    try {
      return new OpenFolder(await open(this.#path(name), FOLDER));
    } catch (error) {
      throw error instanceof NotReadable
        ? error
        : new NotReadable(`its folder cannot be opened (${errorCodeOf(error)})`);
    }
  }

  /** A regular file, open; the caller closes it. Throws `NotReadable` for anything else. */
  async file(name: string): Promise<FileHandle> {
    const handle = await open(this.#path(name), FILE).catch((error: unknown) => {
      throw new NotReadable(REASONS[errorCodeOf(error)] ?? `it cannot be opened (${errorCodeOf(error)})`);
    });
    try {
      await refuseOthers(handle, this.#handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  /** @param name of one entry; a slash would lead elsewhere */
  #path(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
      throw new NotReadable('its name is not the name of a file');
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }
}

/** Opens a file by its path below the folder. Throws `NotReadable`. */
export async function openBelow(root: string, name: string): Promise<FileHandle> {
  const components = name.split('/');
  const last = components.pop() ?? '';
  await using stack = new AsyncDisposableStack();
  let folder = stack.use(await OpenFolder.at(root));
  for (const component of components) folder = stack.use(await folder.folder(component));
  return await folder.file(last);
}

/** A hard link to a file of another user would let a command send what it cannot read itself. */
async function refuseOthers(file: FileHandle, folder: FileHandle): Promise<void> {
  const [facts, parent] = [await file.stat(), await folder.stat()];
  if (!facts.isFile()) throw new NotReadable('it is not a regular file');
  if (facts.uid !== parent.uid) throw new NotReadable('it belongs to another user');
}

const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'it is a symbolic link',
  ENOENT: 'it is gone',
  ENXIO: 'it is not a regular file',
  EACCES: 'the agent may not read it',
};

export function errorCodeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
