import { join } from 'node:path';
import { AnnouncedDefinitions, hashOf } from '@svc/agent/link/definitions';
import { prepareLaunch } from '@svc/agent/link/execution/prepare-launch';
import { WholeDefinitions } from '@svc/agent/link/execution/whole-definitions';
import { createProcessRunner } from '@svc/agent/runner/process/create-process-runner';
import { CollectingSink } from '@svc/agent/runner/process/fixtures/collecting-sink';
import type { Ending, Runner } from '@svc/agent/runner/runner';
import { Transformer } from '@svc/agent/runner/transform/run-transform';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { inheritedEnvironment } from '@svc/core/endpoint/environment';
import { definitionOf } from '@svc/core/protocol/definition';
import { NO_APPROVALS } from '../no-approvals.ts';

/** The result of a call: all of its output, or the data that was made of it. */
export interface TemplateRun {
  readonly text: string;
  readonly ending: Ending;
}

export interface TemplateCall {
  readonly endpoint: Endpoint;
  readonly folder: string;
  readonly args?: Readonly<Record<string, string>>;
  /** The variables of the owner besides those of the template. */
  readonly env?: Readonly<Record<string, string>>;
  /** Cancel as soon as this has come. */
  readonly until?: string;
}

const STUBS = join(import.meta.dir, 'stubs');

/** A machine whose programs of the outside world are those in `stubs`; git, and what every Unix has, are real. */
const environmentIn = (folder: string) => ({
  ...inheritedEnvironment(process.env),
  PATH: `${STUBS}:${process.env.PATH}`,
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
});

/**
 * An agent without its hub: runs what an import of a template makes, sent whole as the hub would (decision 32, commands of
 * a file stay on the agent).
 */
export class TemplateRunner implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly #runner: Runner;
  readonly #wholeDefinitions = new WholeDefinitions();

  constructor() {
    const transforms = this.#resources.use(new Transformer());
    this.#runner = this.#resources.use(createProcessRunner({ transforms }));
  }

  /** Undefined when the values are refused, and nothing ran. */
  async run({
    endpoint,
    folder,
    args = {},
    env = {},
    until,
  }: TemplateCall): Promise<TemplateRun | undefined> {
    const definition = definitionOf({ ...endpoint, env: { ...endpoint.env, ...env } });
    const prepared = prepareLaunch(
      {
        type: 'run',
        execution_id: Bun.randomUUIDv7(),
        endpoint: endpoint.slug,
        hash: hashOf(definition),
        definition,
        args,
        secrets: Object.fromEntries(endpoint.program.secrets.map((name) => [name, `value-of-${name}`])),
      },
      {
        definitions: new AnnouncedDefinitions(),
        wholeDefinitions: this.#wholeDefinitions,
        folder,
        inherited: environmentIn(folder),
        ...NO_APPROVALS,
        localOnly: false,
      },
    );
    if (prepared.kind === 'refused') {
      if (prepared.ending.reason === 'bad_values') return undefined;
      throw new Error(prepared.ending.message);
    }
    const sink = new CollectingSink();
    const command = this.#runner.start({ ...prepared.launch, output: 'raw' }, sink);
    if (until !== undefined) {
      await Promise.race([sink.seen(until), command.ended]);
      command.cancel();
    }
    const ending = await command.ended;
    return { text: sink.text, ending };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

/** Runs a script of a test on the same machine, and fails with what it printed. */
export async function prepare(script: string, folder: string): Promise<void> {
  const child = Bun.spawn(['/bin/sh', '-ec', script], {
    cwd: folder,
    env: environmentIn(folder),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${script}\n${stdout}${stderr}`);
}
