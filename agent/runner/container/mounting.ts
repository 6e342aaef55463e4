import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from './engine.ts';

const UNMOUNT_TRIES = 50;
const BETWEEN_TRIES_MS = 100;

/** Calls `mount` with these options. */
export async function mount(options: readonly string[], source: string, folder: string): Promise<void> {
  await runProgram(['mount', ...options, source, folder]);
}

/** Unmounts until nothing is mounted there. Its last user may need a moment to end. */
export async function unmount(folder: string): Promise<void> {
  for (let tries = 1; await isMounted(folder); tries += 1) {
    try {
      await runProgram(['umount', folder]);
    } catch (error) {
      if (tries === UNMOUNT_TRIES) throw error;
      await Bun.sleep(BETWEEN_TRIES_MS);
    }
  }
}

/** Unmounts the folders in this one on which an earlier process has mounted, and removes them. */
export async function unmountAllIn(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    await unmount(join(folder, name));
    await rmdir(join(folder, name));
  }
}

export async function isMounted(folder: string): Promise<boolean> {
  const mountinfo = await readFile('/proc/self/mountinfo', 'utf8');
  // A blank appears as its octal code there, see proc(5).
  return mountinfo.includes(` ${folder.replaceAll(' ', '\\040')} `);
}

/** Runs a system program to its end; rejects with its error output if it fails. */
export async function runProgram(command: readonly string[]): Promise<void> {
  const [name = ''] = command;
  const path = Bun.which(name, { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` });
  if (path === null) throw new EngineError(`the program "${name}" is not installed`);
  const child = Bun.spawn([path, ...command.slice(1)], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new EngineError(`${name}: ${complaint.trim()}`);
}
