import { constants } from 'node:os';
import { Masker } from '@svc/core/execution/mask/masker';
import { OutputPipeline } from '../../output/output-pipeline.ts';
import { RetainedOutput } from '../../output/retained-output.ts';
import { SeparateStreams } from '../../output/separate-streams.ts';
import type { Ending, Launch } from '../../runner.ts';
import type { ShimChannel } from '../shim/channel.ts';
import type { ContainerRun, ContainerRunEnd, StartFailure } from './container-run.ts';
import type { SinkLink } from './sink-link.ts';

/** The container of a command and the link to its sink. */
export interface CommandContainer {
  readonly channel: ShimChannel;
  readonly run: ContainerRun;
  readonly link: SinkLink;
}

/**
 * Runs one command in a waiting container. `unbegun`: the container ended before the command began, so the command has not
 * run and has no output.
 */
export async function superviseContainer(
  launch: Launch,
  place: CommandContainer,
): Promise<Ending | 'unbegun'> {
  const { channel, run, link } = place;
  const { inherited, env, argv, cwd, transform, streams } = launch;
  const apart = transform !== undefined || streams !== undefined;
  channel.offer({ argv, cwd, env: { ...inherited, ...env }, apart });
  const end = await outputOf(launch)(launch, { channel, run, link });
  switch (end.kind) {
    case 'failed':
      return explainFailure(end.failed, launch);
    case 'unbegun':
      return 'unbegun';
    case 'gone':
      return { kind: 'lost', message: GONE };
    case 'ended':
      return endingOf(end, launch, link);
  }
}

const GONE = 'the container ended before the command did, most likely because its memory was used up';

function endingOf(
  { how, exitCode, durationMs }: Extract<ContainerRunEnd, { kind: 'ended' }>,
  { transform }: Launch,
  { transformed }: SinkLink,
): Ending {
  if (how !== 'exited') return { kind: how, durationMs };
  const exited = { kind: how, exitCode, durationMs };
  return transform === undefined ? exited : { ...exited, transformed };
}

/** How the output of a launch is read. */
function outputOf({ transform, streams }: Launch): typeof stream {
  if (transform !== undefined) return runToTransform;
  return streams === undefined ? stream : streamApart;
}

async function stream(launch: Launch, { channel, run, link }: CommandContainer): Promise<ContainerRunEnd> {
  const pipeline = new OutputPipeline(launch, link);
  const masker = new Masker(launch.masks);
  const tail = new Tail();
  const end = await run.run((_from, bytes) => {
    tail.note(bytes);
    return pipeline.push(masker.push(bytes));
  });
  await pipeline.push(masker.end());
  await pipeline.push(await memoryNote(end, launch, channel, tail));
  pipeline.end();
  return end;
}

/** Reads stdout and stderr as separate streams, as they come. */
async function streamApart(
  launch: Launch,
  { channel, run, link }: CommandContainer,
): Promise<ContainerRunEnd> {
  const streams = new SeparateStreams(launch, link);
  const tail = new Tail();
  const end = await run.run((from, bytes) => {
    if (from === 'stderr') tail.note(bytes);
    return streams.take(from, bytes);
  });
  await streams.end(await memoryNote(end, launch, channel, tail));
  return end;
}

/** Buffers the output until the command has ended and the transform result is known (decision 27, the transformer). */
async function runToTransform(
  launch: Launch,
  { channel, run, link }: CommandContainer,
): Promise<ContainerRunEnd> {
  const pipeline = new OutputPipeline(launch, link);
  const retained = new RetainedOutput(pipeline, launch.transform?.onError === 'raw');
  const maskers = { stdout: new Masker(launch.masks), stderr: new Masker(launch.masks) };
  const tail = new Tail();
  const end = await run.run((from, bytes) => {
    tail.note(bytes);
    return retained.take(from, maskers[from].push(bytes));
  });
  await retained.take('stdout', maskers.stdout.end());
  await retained.take('stderr', maskers.stderr.end());
  const succeeded = end.kind === 'ended' && end.how === 'exited' && end.exitCode === 0;
  if (!succeeded || (await link.transform(retained.stdout()))) await retained.release();
  await pipeline.push(await memoryNote(end, launch, channel, tail));
  pipeline.end();
  return end;
}

/** Whether the output so far ends in the middle of a line. */
class Tail {
  #isOpen = false;

  note(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#isOpen = bytes.at(-1) !== NEWLINE;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }
}

const NEWLINE = 10;
const NOTHING = new Uint8Array(0);

/** A line for the reader of the output, because exit code 137 does not reveal the cause (decision 49, the hosted runner). */
async function memoryNote(
  end: ContainerRunEnd,
  { container: terms }: Launch,
  channel: ShimChannel,
  tail: Tail,
): Promise<Uint8Array<ArrayBuffer>> {
  if (end.kind !== 'ended' || end.how !== 'exited' || end.exitCode === 0) return NOTHING;
  const kills = await channel.container.memoryKills();
  if (kills === undefined || kills === 0 || terms === undefined) return NOTHING;
  const mebibytes = Math.floor(terms.memoryBytes / 1024 ** 2);
  const line = `[svc: the memory limit of ${mebibytes} MiB was reached, and what ran was killed]\n`;
  return new TextEncoder().encode(tail.isOpen ? `\n${line}` : line);
}

/** Why a command did not start, from the error of the shim. */
function explainFailure({ stage, errno }: StartFailure, { argv: [name], cwd }: Launch): Ending {
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
