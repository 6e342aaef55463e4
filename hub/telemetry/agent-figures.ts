import type { AgentAddress } from '../agents/directory-ports.ts';
import { LruMap } from '../platform/lru-map.ts';
import type { Figures } from '../platform/metrics/figures.ts';

/** More than are away at a time. */
const MOST = 100_000;

/** How long agents are away. */
export class AgentFigures {
  readonly #figures: Figures;
  readonly #goneAtMs = new LruMap<string, number>(MOST);

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  gone(address: AgentAddress): void {
    this.#goneAtMs.set(keyOf(address), performance.now());
  }

  connected(address: AgentAddress): void {
    const goneAtMs = this.#goneAtMs.take(keyOf(address));
    if (goneAtMs !== undefined) this.#figures.absence.observeSince(goneAtMs);
  }
}

function keyOf({ workspaceId, name, instance }: AgentAddress): string {
  return `${workspaceId} ${name} ${instance}`;
}
