import type { Subprocess } from 'bun';
import type { Launch } from '../../runner.ts';
import { explainSpawnError, type NotStarted } from './not-started.ts';
import { layPipes, type Outputs, type Pipes } from './pipes.ts';
import { checkCwd, resolveProgram } from './resolve-program.ts';

/** A command that runs. It leads a session and a process group of its own, so its pid names the group too. */
export interface Started {
  readonly kind: 'started';
  readonly process: Subprocess;
  readonly outputs: Outputs;
  /** On the monotonic clock. */
  readonly startedAtMs: number;
}

/** Spawns with exactly the argument vector and environment of `launch`; a transform gets stdout on a pipe of its own. */
export function startCommand(
  launch: Launch,
  lay: (separate: boolean) => Pipes = layPipes,
): Started | NotStarted {
  const wrongCwd = checkCwd(launch.cwd);
  if (wrongCwd !== undefined) return wrongCwd;
  const program = resolveProgram(launch.argv[0], launch.env, launch.cwd);
  if (program.kind !== 'program') return program;
  try {
    return spawn(launch, program.path, lay(launch.transform !== undefined));
  } catch (error) {
    return explainSpawnError(error, launch.argv[0]);
  }
}

function spawn(launch: Launch, path: string, pipes: Pipes): Started {
  const startedAtMs = performance.now();
  const process = spawnInto(launch, path, pipes);
  return { kind: 'started', process, outputs: pipes.connect(process), startedAtMs };
}

function spawnInto(launch: Launch, path: string, pipes: Pipes): Subprocess {
  try {
    return Bun.spawn({
      ...pipes.wrap(path, launch.argv),
      cwd: launch.cwd,
      env: launch.env,
      stdin: 'ignore',
      stdout: pipes.stdout,
      stderr: pipes.stderr,
      detached: true,
    });
  } catch (error) {
    pipes.abandon();
    throw error;
  }
}
