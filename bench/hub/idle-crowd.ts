import { fileURLToPath } from 'bun';
import { stop } from '../peers/server.ts';

/** What a process that holds agents is told. */
export interface IdleAgentOptions {
  /** They connect for the first time at any moment of so long. */
  readonly withinMs: number;
  readonly agents: readonly { readonly hubUrl: string; readonly token: string; readonly name: string }[];
}

/** What it says again and again: the hub that welcomed last, and how many agents are connected to it. */
export interface Connected {
  readonly hub: string;
  readonly count: number;
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
  /** Settles when all of them are connected to one hub that is not the one given, and answers with its id. */
  allConnected(butNotTo?: string): Promise<string>;
}

const PROGRAM = fileURLToPath(import.meta.resolve('./idle-agents.ts'));
/** Each connection is a descriptor, and a process may commonly have some 20,000. */
const PROCESSES = 2;
/** What takes longer is not a figure any more. */
const PATIENCE_MS = 90_000;

export function startIdleCrowd({ agents, withinMs }: IdleAgentOptions): IdleCrowd {
  const share = Math.ceil(agents.length / PROCESSES);
  const parts = Array.from({ length: PROCESSES }, (_, n) => agents.slice(n * share, (n + 1) * share));
  const counts = parts.map((): Connected => ({ hub: '', count: 0 }));
  let onChange = () => {};
  const children = parts.map((part, n) => {
    const child = Bun.spawn([process.execPath, PROGRAM], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc(message: Connected) {
        counts[n] = message;
        onChange();
      },
    });
    child.send({ agents: part, withinMs } satisfies IdleAgentOptions);
    return child;
  });
  return {
    allConnected(butNotTo) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const giveUp = () => {
        const connected = counts.reduce((sum, { count }) => sum + count, 0);
        reject(
          new Error(`${connected} of ${agents.length} agents were there after ${PATIENCE_MS / 1_000} s`),
        );
      };
      const timer = setTimeout(giveUp, PATIENCE_MS);
      onChange = () => {
        const hub = commonHub(counts, parts);
        if (hub !== undefined && hub !== butNotTo) resolve(hub);
      };
      onChange();
      return promise.finally(() => clearTimeout(timer));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(stop));
    },
  };
}

/** The hub that has all agents of all processes, if there is one. */
export function commonHub(
  counts: readonly Connected[],
  parts: readonly (readonly unknown[])[],
): string | undefined {
  const hub = counts[0]?.hub;
  const isAll = counts.every((one, n) => one.hub === hub && one.count === parts[n]?.length);
  return isAll ? hub : undefined;
}
