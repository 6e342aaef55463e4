import { join } from 'node:path';
import { configText } from '../../config-text.ts';
import { endpointsOf } from './endpoints.ts';
import { MortalProcess } from './mortal.ts';

const ROOT = join(import.meta.dir, '../../..');

/** Agents as processes, and where each of them has its file and its state. */
export interface Agents {
  readonly processes: readonly MortalProcess[];
  readonly folders: readonly string[];
}

/** How many agents there are, and of which kind. */
export interface AgentCounts {
  /** The agents of a pool have the same name and file. */
  readonly pools: number;
  /** Each a process of `svc agent`. */
  readonly programs: number;
  /** Processes with many agents each. */
  readonly crowds: { readonly processes: number; readonly agents: number };
}

interface AgentPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function makeAgents(
  { pools, programs, crowds }: AgentCounts,
  place: AgentPlace,
): Promise<Agents> {
  const count = programs + crowds.processes * crowds.agents;
  const folders = await Promise.all(
    Array.from({ length: count }, (_, index) => makeAgentFolder(place, index % pools, index)),
  );
  const logPath = join(place.folder, 'logs', 'agents.log');
  const single = folders.slice(0, programs).map(
    (folder, index) =>
      new MortalProcess({
        name: `agent ${index}`,
        kind: 'agent',
        command: () => [
          ...[
            process.execPath,
            join(ROOT, 'cli/svc.ts'),
            'agent',
            '--json',
            '--name',
            `pool-${index % pools}`,
          ],
          ...['--config', join(folder, 'svc.yaml'), '--state-dir', join(folder, 'state')],
        ],
        env: place.env,
        logPath,
      }),
  );
  const many = Array.from({ length: crowds.processes }, (_, index) => {
    const first = programs + index * crowds.agents;
    const files = folders.slice(first, first + crowds.agents).map((folder) => join(folder, 'svc.yaml'));
    return new MortalProcess({
      name: `crowd ${index}`,
      kind: 'agents',
      command: () => [process.execPath, join(import.meta.dir, 'agent-crowd.ts'), ...files],
      env: place.env,
      logPath,
    });
  });
  return { processes: [...single, ...many], folders };
}

/** Its name says its pool, which `agent-crowd.ts` reads from it. */
async function makeAgentFolder({ folder }: AgentPlace, pool: number, index: number): Promise<string> {
  const own = join(folder, 'agents', `pool-${pool}-${index}`);
  await Bun.write(join(own, 'svc.yaml'), configText(endpointsOf(pool, join(folder, 'ran'))));
  return own;
}
