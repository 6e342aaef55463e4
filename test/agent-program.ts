import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ScriptedHub } from '@svc/agent/link/fixtures/scripted-hub';
import { formToken } from '@svc/core/token/token';
import { configText, type EndpointYaml } from './config-text.ts';
import { Lines } from './lines.ts';
import { type ProgramOptions, startSvc } from './program.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** A process of `svc agent`. */
export interface AgentProcess {
  readonly pid: number;
  readonly stdout: Lines;
  readonly stderr: Lines;
  readonly exited: Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it without a word. */
  kill(): Promise<void>;
}

/** The options of an agent's start besides arguments and environment. */
export interface AgentStart extends Pick<ProgramOptions, 'wrapper' | 'stdin'> {
  /** Without the token in the environment. */
  readonly withoutToken?: true;
}

/** A hub that the test plays, and a folder in which real agents run. */
export class AgentProgram implements AsyncDisposable {
  readonly hub = new ScriptedHub();
  readonly token = formToken('agent_token', randomBytes(32));
  readonly folder: string;
  readonly #folder: TemporaryFolder;
  readonly #started: AgentProcess[] = [];

  static async make(endpoints: readonly EndpointYaml[]): Promise<AgentProgram> {
    const program = new AgentProgram(await temporaryFolder());
    await program.write(configText(endpoints));
    return program;
  }

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder;
    this.folder = folder.path;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async write(config: string): Promise<void> {
    await Bun.write(this.path('svc.yaml'), config);
  }

  start(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    { withoutToken, ...more }: AgentStart = {},
  ): AgentProcess {
    const token = withoutToken ? {} : { SVC_TOKEN: this.token };
    const child = startSvc(['agent', '--state-dir', this.path('state'), ...args], {
      cwd: this.folder,
      env: { ...token, SVC_BASE_URL: this.hub.url.href, ...env },
      ...more,
    });
    const agent = {
      pid: child.pid,
      stdout: new Lines(child.stdout),
      stderr: new Lines(child.stderr),
      exited: child.exited,
      signal: (signal: NodeJS.Signals) => child.kill(signal),
      async kill() {
        child.kill('SIGKILL');
        await child.exited;
      },
    };
    this.#started.push(agent);
    return agent;
  }

  /** Starts one and waits until the hub has greeted it. */
  async connect(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    more: AgentStart = {},
  ): Promise<AgentProcess> {
    const { length } = this.hub.hellos;
    const agent = this.start(args, env, more);
    await Promise.race([
      this.hub.greeted(length + 1),
      agent.exited.then((code) => {
        throw new Error(`svc agent exited with ${code}: ${agent.stderr.text}`);
      }),
    ]);
    return agent;
  }

  /** All that the agents printed. */
  get printed(): string {
    return this.#started.map(({ stdout, stderr }) => `${stdout.text}\n${stderr.text}`).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#started) await agent.kill();
    await this.hub[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}
