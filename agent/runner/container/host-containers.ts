import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Transforms } from '../output/transform-result.ts';
import type { HostedRunner, Launch, Runner } from '../runner.ts';
import { ContainerRunner } from './container-runner.ts';
import { EngineError } from './engine.ts';
import { findImage } from './image/runner-image.ts';
import { unmountAllIn } from './mounting.ts';
import { type ContainerEngineKind, type EngineOptions, enginesFor, openEngine } from './open-engine.ts';
import { checkFacts, type Facts } from './probe/check-facts.ts';
import { LoopVolumes } from './workspace/loop-volumes.ts';

export interface HostRunnerOptions extends EngineOptions {
  /** A folder of this process and its successor. The volumes of pipeline runs outlive the process there. */
  readonly dataFolder: string;
  /** The number of commands at a time. */
  readonly capacity: number;
  /** The most containers that wait; default: the capacity, if a twentieth of the memory holds them. */
  readonly maxWaiting?: number | undefined;
  /** The size of the workspace that the steps of one pipeline run share; default: 1 GiB. */
  readonly volumeBytes?: number | undefined;
  /** The size of the volume for `/output` of an execution; default: 1 GiB. */
  readonly outputBytes?: number | undefined;
  readonly transforms: Transforms;
  /** Called for failures that do not stop the runner. */
  readonly onTrouble: (cause: unknown) => void;
}

const GIB = 1024 * 1024 * 1024;
/** The memory of a waiting container, including that of the kernel. */
const WAITING_BYTES = 8 * 1024 * 1024;
/** The share of the machine's memory that all waiting containers may use. */
const WAITING_SHARE = 1 / 20;
/** A container that waits with a volume for `/output` also takes a loop device and some megabytes of the disk. */
const MAX_WAITING_OUTPUTS = 4;

/**
 * Opens a container runner on this machine and removes everything of an earlier one. Rejects with an `EngineError` if this
 * machine cannot create containers or would not enforce their rules; then nothing is served.
 */
export async function hostContainers(options: HostRunnerOptions): Promise<ContainerRunner> {
  // Without an image no engine is of use, so the missing image is the only error.
  findImage(options.imageFolder);
  const problems: string[] = [];
  const kinds = enginesFor(options);
  for (const kind of kinds) {
    try {
      return await hostWith(kind, options);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (kinds.length === 1) throw error;
      problems.push(`${kind}: ${error.message}`);
    }
  }
  throw new EngineError(problems.join('; '));
}

/** The engine, after every rule was tried in one of its containers. */
async function hostWith(kind: ContainerEngineKind, options: HostRunnerOptions): Promise<ContainerRunner> {
  const { capacity, dataFolder, transforms, onTrouble } = options;
  const instance = new Bun.CryptoHasher('sha256').update(dataFolder).digest('hex').slice(0, 12);
  const stateFolder = join('/run/svc-runner', instance);
  const { volumeBytes = GIB, outputBytes = GIB } = options;
  const engine = await openEngine(kind, options, { instance, stateFolder });
  const outputsFolder = join(stateFolder, 'outputs');
  try {
    // A volume that got its id while it was mounted is mounted under another name.
    await unmountAllIn(outputsFolder);
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
  const waiting = options.maxWaiting ?? maxWaiting(capacity);
  const runner = new ContainerRunner({
    engine,
    volumes: new LoopVolumes({
      imagesFolder: join(dataFolder, 'volumes'),
      mountsFolder: join(stateFolder, 'mounts'),
      bytes: volumeBytes,
      owner: { uid: engine.runnerUid, gid: engine.runnerUid },
    }),
    outputs: new LoopVolumes({
      imagesFolder: join(dataFolder, 'outputs'),
      mountsFolder: outputsFolder,
      bytes: outputBytes,
      owner: { uid: engine.runnerUid, gid: engine.runnerUid },
    }),
    transforms,
    capacity,
    maxWaiting: waiting,
    maxWaitingOutputs: Math.min(waiting, MAX_WAITING_OUTPUTS),
    onTrouble,
  });
  try {
    await probe(runner);
    await probeVolumes(runner, volumeBytes, outputBytes);
    return runner;
  } catch (error) {
    await runner[Symbol.asyncDispose]();
    throw error;
  }
}

function maxWaiting(capacity: number): number {
  return Math.min(capacity, Math.floor((totalmem() * WAITING_SHARE) / WAITING_BYTES));
}

const LIMITS = { vcpus: 0.5, memoryBytes: 128 * 1024 * 1024, network: false } as const;
/** Leaves a file in the workspace, or prints the capacities of the workspace and of the output folder in bytes. */
const LEAVE = ['python3', '-c', "open('/workspace/left', 'w').close()"] as const;
const MEASURE = [
  'python3',
  '-c',
  "import os; os.stat('/workspace/left')\nfor path in '/workspace', '/output': of = os.statvfs(path); print(of.f_blocks * of.f_frsize)",
] as const;

/**
 * Tests the shared workspace of a pipeline run and the kept output folder: the second step finds the file of the first, and both have
 * a size limit. Rejects with an {@link EngineError} that names the broken rule, for instance without loop devices.
 */
async function probeVolumes(runner: HostedRunner, volumeBytes: number, outputBytes: number): Promise<void> {
  const runId = crypto.randomUUID();
  try {
    await outputOf(runner, LEAVE, { ...LIMITS, runId });
    const measured = await outputOf(runner, MEASURE, { ...LIMITS, runId, keepsOutput: true });
    const [workspace = Number.NaN, output = Number.NaN] = measured.trim().split('\n').map(Number);
    if (!(workspace <= volumeBytes)) throw unlimited('the workspace of a pipeline run', volumeBytes);
    if (!(output <= outputBytes)) throw unlimited('the kept output folder', outputBytes);
  } finally {
    await runner.outputs.end(runId);
    await runner.endRun(runId);
  }
}

function unlimited(what: string, bytes: number): EngineError {
  return new EngineError(
    `this machine does not enforce what containers promise: ${what} has no limit of ${bytes} bytes`,
  );
}

import script from './probe/facts.py' with { type: 'text' };

const VCPUS = 0.5;
/** Enough for 300 Python processes, in case no limit stops them. */
const MEMORY_BYTES = 512 * 1024 * 1024;

/**
 * Tests every rule and limit in a real container, by the path of executions. Rejects with an {@link EngineError} that names
 * the rules that this machine does not enforce, because some engines only warn (decision 49, the hosted runner).
 */
async function probe(runner: Runner): Promise<void> {
  const problems = checkFacts(await factsOf(runner), VCPUS);
  if (problems.length === 0) return;
  throw new EngineError(`this machine does not enforce what containers promise: ${problems.join('; ')}`);
}

async function factsOf(runner: Runner): Promise<Facts> {
  const argv = ['python3', '-c', script, String(MEMORY_BYTES)] as const;
  const limits = { vcpus: VCPUS, memoryBytes: MEMORY_BYTES, network: false, runId: undefined };
  return JSON.parse(await outputOf(runner, argv, limits)) as Facts;
}

const TIMEOUT_MS = 60_000;

/** The output of a command in a container, by the path of executions. Rejects with an {@link EngineError} if it fails. */
async function outputOf(
  runner: Runner,
  argv: Launch['argv'],
  container: NonNullable<Launch['container']>,
): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  const launch: Launch = {
    executionId: container.runId ?? crypto.randomUUID(),
    argv,
    inherited: {},
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/workspace',
    timeoutMs: TIMEOUT_MS,
    output: 'raw',
    masks: [],
    container,
  };
  const command = runner.start(launch, {
    write(chunk) {
      text += decoder.decode(chunk, { stream: true });
    },
  });
  const ending = await command.ended;
  if (ending.kind === 'exited' && ending.exitCode === 0) return text;
  throw new EngineError(
    `containers could not be tried: ${'message' in ending ? ending.message : text || ending.kind}`,
  );
}
