import { createHash } from 'node:crypto';
import { hostContainers } from '../../agent/runner/container/host-containers.ts';
import type { EngineOptions } from '../../agent/runner/container/open-engine.ts';
import { CollectingSink } from '../../agent/runner/process/fixtures/collecting-sink.ts';
import type {
  ContainerTerms,
  Ending,
  HostedRunner,
  Launch,
  RunningCommand,
} from '../../agent/runner/runner.ts';
import { Transformer } from '../../agent/runner/transform/run-transform.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { testImage } from './machine.ts';

const MIB = 1024 * 1024;

/** The limits of Pro, for one execution alone. */
export const TERMS: ContainerTerms = { vcpus: 1, memoryBytes: 512 * MIB, network: false, runId: undefined };

export interface Ran {
  readonly ending: Ending;
  readonly output: string;
}

export interface Running extends RunningCommand {
  readonly sink: CollectingSink;
  readonly executionId: string;
}

type Different = Omit<Partial<Launch>, 'container'> & { readonly container?: Partial<ContainerTerms> };

/** A runner of real containers, with a folder of its own. */
export interface ContainerWorld extends AsyncDisposable {
  readonly runner: HostedRunner;
  readonly dataFolder: string;
  /** The name of this runner among mounts and control groups. */
  readonly instance: string;
  /** The folders in which the engine stores its containers. */
  readonly configurations: readonly string[];
  /** Starts a shell text in a container. */
  start(text: string, different?: Different): Running;
  /** Runs it to its end. */
  run(text: string, different?: Different): Promise<Ran>;
  /** Its output, without the last newline; the command has to exit with 0. */
  output(text: string, different?: Different): Promise<string>;
}

interface WorldOptions extends Omit<EngineOptions, 'imageFolder'> {
  readonly volumeBytes?: number;
  readonly outputBytes?: number;
  /** Where the engine stores its containers; default: where `oci` does. */
  readonly configurations?: readonly string[];
}

export async function containerWorld({
  configurations,
  ...options
}: WorldOptions = {}): Promise<ContainerWorld> {
  const folder = await temporaryFolder();
  const transforms = new Transformer();
  const runner = await hostContainers({
    imageFolder: await testImage(),
    dataFolder: folder.path,
    capacity: 20,
    ...options,
    transforms,
    onTrouble: (cause) => console.error(cause),
  });
  return new World(runner, transforms, folder, configurations);
}

/** The name of a host with this folder among mounts and control groups. */
export function instanceOf(dataFolder: string): string {
  return createHash('sha256').update(dataFolder).digest('hex').slice(0, 12);
}

class World implements ContainerWorld {
  readonly runner: HostedRunner;
  readonly #transforms: Transformer;
  readonly #folder: TemporaryFolder;
  readonly configurations: readonly string[];

  constructor(
    runner: HostedRunner,
    transforms: Transformer,
    folder: TemporaryFolder,
    configurations?: readonly string[],
  ) {
    const states = `/run/svc-runner/${instanceOf(folder.path)}`;
    this.configurations = configurations ?? [`${states}/bundles`, `${states}/runtime`];
    this.runner = runner;
    this.#transforms = transforms;
    this.#folder = folder;
  }

  get dataFolder(): string {
    return this.#folder.path;
  }

  get instance(): string {
    return instanceOf(this.dataFolder);
  }

  start(text: string, { container, ...different }: Different = {}): Running {
    const sink = new CollectingSink();
    const executionId = crypto.randomUUID();
    const command = this.runner.start(
      {
        executionId,
        argv: ['/bin/bash', '-c', text],
        inherited: { PATH: '/usr/local/bin:/usr/bin:/bin' },
        env: { SVC_EXECUTION_ID: executionId },
        cwd: '/workspace',
        timeoutMs: 60_000,
        output: 'raw',
        masks: [],
        container: { ...TERMS, ...container },
        ...different,
      },
      sink,
    );
    return { ended: command.ended, cancel: () => command.cancel(), sink, executionId };
  }

  async run(text: string, different: Different = {}): Promise<Ran> {
    const { ended, sink } = this.start(text, different);
    const ending = await ended;
    return { ending, output: sink.text };
  }

  async output(text: string, different: Different = {}): Promise<string> {
    const { ending, output } = await this.run(text, different);
    if (ending.kind !== 'exited' || ending.exitCode !== 0) {
      throw new Error(`${JSON.stringify(ending)}: ${output}`);
    }
    return output.replace(/\n$/, '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runner[Symbol.asyncDispose]();
    await this.#transforms[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}
