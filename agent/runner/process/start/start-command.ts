import { isAbsolute } from 'node:path';
import type { Subprocess } from 'bun';
import type { ReadyLaunch } from '../protocol.ts';
import { FoundPrograms } from './found-programs.ts';
import { explainSpawnError, type NotStarted, notStarted } from './not-started.ts';
import { layPipes, type Outputs, type Pipes } from './pipes.ts';
import { checkCwd, type ResolvedProgram, resolveProgram } from './resolve-program.ts';
import { type CommandStdin, layStdin, type StdinPipe } from './stdin-pipe.ts';

/** A running command. It leads its own session and process group, so its pid also names the group. */
export interface StartedCommand {
  readonly kind: 'started';
  readonly process: Subprocess;
  readonly outputs: Outputs;
  /** Of a launch with `stdin`. */
  readonly stdin?: CommandStdin;
  /** On the monotonic clock. */
  readonly startedAtMs: number;
}

const programs = new FoundPrograms();

/** Spawns with exactly the arguments and environment of `launch`. With a transform or `streams`, stdout gets its own pipe. */
export function startCommand(
  launch: ReadyLaunch,
  lay: (separate: boolean) => Pipes = layPipes,
  found: FoundPrograms = programs,
): StartedCommand | NotStarted {
  const [name] = launch.argv;
  const known = isAbsolute(name) ? name : found.get(launch);
  const program: ResolvedProgram =
    known === undefined ? findProgram(launch) : { kind: 'program', path: known };
  if (program.kind !== 'program') return program;
  try {
    const started = spawn(launch, program.path, lay(isSeparate(launch)));
    if (known === undefined) found.add(launch, program.path);
    return started;
  } catch (error) {
    const now = findProgram(launch);
    if (now.kind === 'not_started') return now;
    if (now.path === program.path || isAbsolute(name)) return explainSpawnError(error, name);
    // The cached path is stale: another file has this name now.
    found.forget(launch);
    return startCommand(launch, lay, found);
  }
}

function isSeparate({ transform, streams }: ReadyLaunch): boolean {
  return transform !== undefined || streams !== undefined;
}

/** Reports first a problem of the folder, which is checked before the spawn only if necessary. */
function findProgram({ argv: [name], env, cwd }: ReadyLaunch): ResolvedProgram {
  return checkCwd(cwd) ?? resolveProgram(name, env, cwd);
}

function spawn(launch: ReadyLaunch, path: string, pipes: Pipes): StartedCommand | NotStarted {
  const startedAtMs = performance.now();
  if (launch.stdin === undefined) {
    const process = spawnInto(launch, path, pipes);
    return { kind: 'started', process, outputs: pipes.connect(process), startedAtMs };
  }
  const input = layInput(launch, pipes);
  if (input === undefined) return notStarted('other', NO_STDIN);
  const process = spawnInto(launch, path, pipes, input);
  return { kind: 'started', process, outputs: pipes.connect(process), stdin: input.connect(), startedAtMs };
}

const NO_STDIN = 'this system has no C library that svc can load, so a command has no stdin here';

/** Abandons the pipes of the output if there is none for the input. */
function layInput(launch: ReadyLaunch, pipes: Pipes): StdinPipe | undefined {
  let input: StdinPipe | undefined;
  try {
    input = layStdin(launch);
    return input;
  } finally {
    if (input === undefined) pipes.abandon();
  }
}

function spawnInto(launch: ReadyLaunch, path: string, pipes: Pipes, input?: StdinPipe): Subprocess {
  try {
    if (launch.user !== undefined) {
      pipes.giveTo(launch.user);
      input?.giveTo(launch.user);
    }
    return Bun.spawn({
      ...launch.user,
      ...pipes.wrap(path, launch.argv),
      cwd: launch.cwd,
      env: launch.env,
      stdin: input?.readEnd ?? 'ignore',
      stdout: pipes.stdout,
      stderr: pipes.stderr,
      detached: true,
    });
  } catch (error) {
    pipes.abandon();
    input?.close();
    throw error;
  }
}
