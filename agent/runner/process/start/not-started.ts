import { type Shortage, shortageOf } from '@svc/core/shortage';
import type { Ending, NotStartedReason } from '../../runner.ts';

export type NotStarted = Extract<Ending, { kind: 'not_started' }>;

export function notStarted(reason: NotStartedReason, message: string): NotStarted {
  return { kind: 'not_started', reason, message };
}

/** The meaning of a spawn error, for a program and a working directory that existed a moment before. */
export function explainSpawnError(error: unknown, name: string): NotStarted {
  const code = (error as { code?: unknown }).code;
  switch (code) {
    case 'ENOENT':
      return notStarted('not_executable', `the interpreter in the first line of "${name}" does not exist`);
    case 'EACCES':
    case 'EPERM':
      return notStarted('not_executable', `"${name}" may not be executed: permission denied`);
    case 'ENOEXEC':
      return notStarted(
        'not_executable',
        `"${name}" is not a program: a script begins with a line such as #!/bin/sh`,
      );
    case 'E2BIG':
      return notStarted('too_long', 'arguments and environment are longer than this system accepts');
    case 'ERR_INVALID_ARG_VALUE':
      // Bun's own message quotes the value, which may be a secret.
      return notStarted('other', 'an argument or an environment variable holds a NUL byte');
    default:
      return otherwise(error, name, code === 'EAGAIN' ? 'processes' : shortageOf(error));
  }
}

/** fork fails with EAGAIN if this user or this control group has reached its limit of processes. */
function otherwise(error: unknown, name: string, shortage: Shortage | undefined): NotStarted {
  if (shortage === undefined)
    return notStarted('other', `"${name}" could not be started: ${messageOf(error)}`);
  return { ...notStarted('other', `"${name}" could not be started: ${USED_UP[shortage]}`), shortage };
}

const USED_UP = {
  descriptors: 'no file descriptors are left where it runs',
  processes: 'no more processes may be started where it runs',
  disk: 'no disk space is left where it runs',
} as const satisfies Record<Shortage, string>;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
