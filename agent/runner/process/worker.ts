import { Masker } from '@svc/core/execution/mask/masker';
import { shortageOf } from '@svc/core/shortage';
import type { OutputLink } from '../output/link.ts';
import { OutputPipeline } from '../output/output-pipeline.ts';
import { readPipe } from '../output/read-pipe.ts';
import { RetainedOutput } from '../output/retained-output.ts';
import { SeparateStreams } from '../output/separate-streams.ts';
import type { Ending, InputCut, Launch } from '../runner.ts';
import { settlesWithin } from '../settles-within.ts';
import type { StopGraces } from '../stopping.ts';
import { awaitEnd, type ProcessEnd } from './end/await-end.ts';
import { killAll } from './end/terminate.ts';
import { feedStdin, type PieceSource } from './feed-stdin.ts';
import type { InputOrder, Order, ReadyLaunch, WrittenLaunch } from './protocol.ts';
import { readAtOnce, type Source } from './start/pipes.ts';
import { type StartedCommand, startCommand } from './start/start-command.ts';
import { WorkerLink } from './worker-link.ts';

declare const self: Worker;

/** Reads launches, and stores each inherited environment for later ones. */
class LaunchReader {
  readonly #inherited: Launch['inherited'][] = [];

  read({ launch, inherited, newInherited }: WrittenLaunch): ReadyLaunch {
    if (newInherited !== undefined) this.#inherited[inherited] = newInherited;
    return { ...launch, env: { ...this.#inherited[inherited], ...launch.env } };
  }
}

/** The entry of a spawning thread, which only starts and supervises commands. */
const commands = new Map<number, WorkerLink>();
const launches = new LaunchReader();

self.onmessage = ({ data }: MessageEvent<string | InputOrder>) => {
  if (typeof data === 'string') obey(JSON.parse(data) as Order);
  else commands.get(data.id)?.input.receive({ kind: 'bytes', bytes: data.bytes });
};

function obey(order: Order): void {
  if (order.kind === 'start') {
    void run(order);
    return;
  }
  // An order for a command that has just ended is late, not wrong.
  const command = commands.get(order.id);
  if (command === undefined) return;
  switch (order.kind) {
    case 'cancel':
      command.cancel();
      break;
    case 'credit':
      command.credit(order.bytes);
      break;
    case 'transformed':
      command.transformed(order.givesOutput);
      break;
    case 'input':
      command.input.receive(order.piece);
      break;
  }
}

async function run({ id, launch, graces }: Extract<Order, { kind: 'start' }>): Promise<void> {
  const link = new WorkerLink(id, self);
  commands.set(id, link);
  try {
    const others = commands.size - 1;
    link.ended(
      await superviseProcess(launches.read(launch), {
        ...{ graces, link, input: link.input, cancel: link.cancelled, others },
      }),
    );
  } catch (error) {
    const message = `the output of the command could not be read: ${messageOf(error)}`;
    const shortage = shortageOf(error);
    link.ended({ kind: 'lost', message, ...(shortage === undefined ? {} : { shortage }) });
  } finally {
    commands.delete(id);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The parts that supervise a command. */
interface Supervision {
  readonly graces: StopGraces;
  readonly link: OutputLink;
  readonly input: PieceSource;
  readonly cancel: AbortSignal;
  /** The number of other commands on the thread: with some, total work matters more than the first byte. */
  readonly others: number;
}

/** How long to wait for the exit before reading the output as a stream: short commands have ended by then. */
const WAIT_PER_OTHER_MS = 3;
const MAX_WAIT_MS = 25;
/**
 * How long a thread with one command blocks in `poll` for output. After that it reads a stream, which costs as much as the rest of the
 * run. Orders to the thread wait as long.
 */
const ALONE_WAIT_MS = 2;

/** Runs one command from start to end. The other end of the link adds the transform result. */
async function superviseProcess(launch: ReadyLaunch, supervision: Supervision): Promise<Ending> {
  const started = startCommand(launch);
  if (started.kind === 'not_started') return started;
  const feed = new Feed(started, supervision);
  const end = awaitEnd(started, launch, supervision.graces.killGraceMs, feed.cancel);
  try {
    const { how, exitCode, durationMs } = await outputOf(launch)(started, end, launch, supervision);
    if (how === 'exited') return { kind: how, exitCode, durationMs };
    return how === 'cancelled' ? { kind: how, durationMs, ...feed.reason } : { kind: how, durationMs };
  } catch (error) {
    await killAll(started.process, launch.executionId);
    throw error;
  } finally {
    started.stdin?.close();
    started.outputs.stdout.close();
    started.outputs.stderr?.close();
  }
}

/** The input of a command, which is ended when the input is cut off. */
class Feed {
  /** Aborted by a cancel, and when the input is cut off. */
  readonly cancel: AbortSignal;
  #cut: InputCut | undefined;

  constructor({ stdin }: StartedCommand, { input, cancel }: Pick<Supervision, 'input' | 'cancel'>) {
    this.cancel = cancel;
    if (stdin === undefined) return;
    const stop = new AbortController();
    this.cancel = AbortSignal.any([cancel, stop.signal]);
    const cutOff = ({ code, message }: InputCut) => {
      if (this.cancel.aborted) return;
      this.#cut = { code, message };
      stop.abort();
    };
    input.onCut(cutOff);
    feedStdin(stdin, input).catch((error: unknown) =>
      cutOff({ code: 'unavailable', message: `the input could not be passed on: ${String(error)}` }),
    );
  }

  /** Why the command was ended, as fields of its ending. */
  get reason(): { readonly cut?: InputCut } {
    return this.#cut === undefined ? {} : { cut: this.#cut };
  }
}

/** How the output of a launch is read. */
function outputOf({ transform, streams }: ReadyLaunch): typeof stream {
  if (transform !== undefined) return runToTransform;
  return streams === undefined ? stream : streamApart;
}

async function stream(
  { outputs: { stdout } }: StartedCommand,
  end: Promise<ProcessEnd>,
  launch: ReadyLaunch,
  { graces, link, others }: Supervision,
): Promise<ProcessEnd> {
  const pipeline = new OutputPipeline(launch, link);
  const masker = new Masker(launch.masks);
  const take = (chunk: Uint8Array<ArrayBuffer>) => pipeline.push(masker.push(chunk));
  const waitMs = Math.min(others * WAIT_PER_OTHER_MS, MAX_WAIT_MS);
  const isOver = waitMs > 0 && (await settlesWithin(end, waitMs));
  pipeline.expectsEnd(isOver);
  const isAlone = others === 0 && launch.stdin === undefined;
  const isAllRead = (isOver || isAlone) && (await readAtOnce(stdout, take, isAlone ? ALONE_WAIT_MS : 0));
  if (!isAllRead) {
    pipeline.expectsEnd(false);
    await readPipe(stdout.reader(), end, graces.drainAfterExitMs, take);
  }
  await pipeline.push(masker.end());
  pipeline.end();
  return await end;
}

/** Reads stdout and stderr, each from its own pipe, as they come. */
async function streamApart(
  { outputs: { stdout, stderr = stdout } }: StartedCommand,
  end: Promise<ProcessEnd>,
  launch: ReadyLaunch,
  { graces, link }: Supervision,
): Promise<ProcessEnd> {
  const streams = new SeparateStreams(launch, link);
  const read = (from: 'stdout' | 'stderr', source: Source) =>
    readPipe(source.reader(), end, graces.drainAfterExitMs, (chunk) => streams.take(from, chunk));
  await Promise.all([read('stdout', stdout), read('stderr', stderr)]);
  await streams.end();
  return await end;
}

/** Buffers the output until the command has ended and the transform result is known (decision 27, the transformer). */
async function runToTransform(
  { outputs: { stdout, stderr = stdout } }: StartedCommand,
  end: Promise<ProcessEnd>,
  launch: ReadyLaunch,
  { graces, link }: Supervision,
): Promise<ProcessEnd> {
  const pipeline = new OutputPipeline(launch, link);
  const retained = new RetainedOutput(pipeline, launch.transform?.onError === 'raw');
  const read = async (from: 'stdout' | 'stderr', source: Source) => {
    const masker = new Masker(launch.masks);
    await readPipe(source.reader(), end, graces.drainAfterExitMs, (chunk) =>
      retained.take(from, masker.push(chunk)),
    );
    await retained.take(from, masker.end());
  };
  await Promise.all([read('stdout', stdout), read('stderr', stderr)]);
  const ended = await end;
  const succeeded = ended.how === 'exited' && ended.exitCode === 0;
  if (!succeeded || (await link.transform(retained.stdout()))) await retained.release();
  pipeline.end();
  return ended;
}
