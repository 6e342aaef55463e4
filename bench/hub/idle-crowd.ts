import { fileURLToPath } from 'bun';
import { stop } from '../peers/server.ts';
import { Tally } from './tally.ts';

/** The options of a process that holds agents. */
export interface IdleAgentOptions {
  /** Their first connects are spread over this time. */
  readonly withinMs: number;
  readonly agents: readonly { readonly hubUrl: string; readonly token: string; readonly name: string }[];
}

/** The file of an idle agent; a slug belongs to one agent name of a workspace. */
export function idleConfig(name: string): string {
  const endpoints = [
    { name: `${name}-status`, command: 'uptime' },
    {
      name: `${name}-deploy`,
      command: './deploy.sh {{target}}',
      args: [{ name: 'target', default: 'staging' }],
    },
  ];
  return JSON.stringify({ version: 1, endpoints });
}

/** Agents without work, in processes of their own. */
export interface IdleCrowd extends AsyncDisposable {
  allConnected(): Promise<void>;
  /** Once the hub is gone: all have noticed. */
  noneConnected(): Promise<void>;
}

const PROGRAM = fileURLToPath(import.meta.resolve('./idle-agents.ts'));
/** Each connection is a descriptor, and a process may commonly have some 20,000. */
const PROCESSES = 2;
/** Longer times are no useful figure. */
const PATIENCE_MS = 120_000;

export function startIdleCrowd({ agents, withinMs }: IdleAgentOptions): IdleCrowd {
  const share = Math.ceil(agents.length / PROCESSES);
  const parts = Array.from({ length: PROCESSES }, (_, n) => agents.slice(n * share, (n + 1) * share));
  const connected = new Tally(PATIENCE_MS);
  const children = parts.map((part, n) => {
    const child = Bun.spawn([process.execPath, PROGRAM], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (count: number) => connected.set(n, count),
    });
    child.send({ agents: part, withinMs } satisfies IdleAgentOptions);
    return child;
  });
  return {
    allConnected: () => connected.reaches(agents.length),
    noneConnected: () => connected.reaches(0),
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(stop));
    },
  };
}
