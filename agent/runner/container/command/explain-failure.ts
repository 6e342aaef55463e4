import { constants } from 'node:os';
import type { Ending, Launch } from '../../runner.ts';
import type { StartFailure } from './container-run.ts';

/** Why a command did not start, from the error of the shim. */
export function explainFailure({ stage, errno }: StartFailure, { argv: [name], cwd }: Launch): Ending {
  const { ENOENT, EACCES, ENOEXEC, E2BIG } = constants.errno;
  if (stage === 'folder') {
    const problem = errno === EACCES ? 'may not be entered' : 'does not exist';
    return { kind: 'not_started', reason: 'bad_cwd', message: `the working directory "${cwd}" ${problem}` };
  }
  if (stage === 'start') return other(`"${name}" could not be started: error ${errno}`);
  switch (errno) {
    case ENOENT:
      return { kind: 'not_started', reason: 'not_found', message: `command not found: "${name}"` };
    case EACCES:
      return notExecutable(`"${name}" may not be executed: permission denied`);
    case ENOEXEC:
      return notExecutable(`"${name}" is not a program: a script begins with a line such as #!/bin/sh`);
    case E2BIG:
      return {
        kind: 'not_started',
        reason: 'too_long',
        message: 'arguments and environment are longer than this system accepts',
      };
    default:
      return other(`"${name}" could not be started: error ${errno}`);
  }
}

function notExecutable(message: string): Ending {
  return { kind: 'not_started', reason: 'not_executable', message };
}

function other(message: string): Ending {
  return { kind: 'not_started', reason: 'other', message };
}
