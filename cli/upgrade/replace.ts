import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EXIT, Failure } from '../failure.ts';
import { succeeds } from '../install/step.ts';

/** A program that lies beside the installed one until it takes its name. */
export interface StagedProgram extends Disposable {
  readonly path: string;
}

/** The name that the replaced program keeps. */
export function previousOf(program: string): string {
  return `${program}.previous`;
}

/** Throws a `Failure` if the program cannot be replaced by this user. */
export function requireReplaceable(program: string): void {
  explained(program, () => accessSync(dirname(program), constants.W_OK | constants.X_OK));
}

/** A name beside the program that no other file has, and that names this process. */
function ownName(program: string): string {
  return join(dirname(program), `.${basename(program)}.${process.pid}.${crypto.randomUUID()}`);
}

/**
 * Removes the files that an interrupted upgrade of this program left beside it. Throws a `Failure` while another upgrade of it
 * runs, and then removes nothing.
 */
export function removeOldPrograms(program: string, isUpgrade = runsUpgrade): void {
  const own = new RegExp(
    `^\\.(?:${basename(program)}|${basename(previousOf(program))})\\.(\\d+)\\.[0-9a-f-]{36}$`,
  );
  const left = readdirSync(dirname(program)).flatMap((name) => {
    const pid = own.exec(name)?.[1];
    return pid === undefined ? [] : [{ path: join(dirname(program), name), pid: Number(pid) }];
  });
  const running = left.find(({ pid }) => pid !== process.pid && isUpgrade(pid));
  if (running !== undefined)
    throw new Failure(`another svc upgrade runs, process ${running.pid}: nothing was changed`);
  explained(program, () => {
    for (const { path } of left) rmSync(path, { force: true });
  });
}

/** Whether that process runs and is an upgrade: the number may belong to another program by now. */
function runsUpgrade(pid: number): boolean {
  return succeeds(['sh', '-c', `ps -o args= -p ${pid} | grep -q '[ ]upgrade'`]);
}

/** Writes a program with the owner and the mode of the installed one into the same folder, safe from a power cut. */
export function stage(program: string, content: Uint8Array): StagedProgram {
  const path = ownName(program);
  const staged: StagedProgram = { path, [Symbol.dispose]: () => rmSync(path, { force: true }) };
  explained(program, () => {
    try {
      write(path, content, statSync(program));
    } catch (error) {
      staged[Symbol.dispose]();
      throw error;
    }
  });
  return staged;
}

function write(path: string, content: Uint8Array, { mode, uid, gid }: ReturnType<typeof statSync> & object) {
  // A new file and never one that is there, so nothing that another user prepared is written or run.
  const file = openSync(path, 'wx', 0o700);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
    if (uid !== process.geteuid?.()) fchownSync(file, Number(uid), Number(gid));
    fchmodSync(file, (Number(mode) & 0o777) | 0o100);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Gives a staged program the name of the installed one, which stays as `svc.previous`. The name always belongs to one of the
 * two. The staged file stays as well, for a process that was started from it.
 */
export function replace(program: string, staged: StagedProgram): void {
  explained(program, () => {
    rename(program, previousOf(program));
    rename(staged.path, program);
  });
}

/** Gives the name back to the replaced program. */
export function restore(program: string): void {
  explained(program, () => rename(previousOf(program), program));
}

/** A second name of a file takes over a name at once, without a moment in which the name belongs to no file. */
function rename(from: string, to: string): void {
  const link = ownName(to);
  linkSync(from, link);
  try {
    renameSync(link, to);
  } catch (error) {
    rmSync(link, { force: true });
    throw error;
  }
  const folder = openSync(dirname(to), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function explained(program: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    const why = WHY[code ?? ''];
    if (why === undefined) throw cause;
    const failure = new Failure(`${program} cannot be replaced: ${why}. Nothing was changed`, {
      exitCode: EXIT.failed,
      ...(code === 'EACCES' || code === 'EPERM' ? { tip: 'sudo svc upgrade' } : {}),
    });
    failure.cause = cause;
    throw failure;
  }
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write into its folder',
  EPERM: 'this user may not write into its folder',
  EROFS: 'its folder is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
};
