import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { candidates } from '../../agents/candidates.ts';
import { isHosted, NO_WORKSPACE } from '../../agents/host-address.ts';
import type { KnownAgents } from '../../agents/store/agent-store.ts';
import type { RegisteredEndpoint } from '../../endpoints/endpoint-ports.ts';
import type { KnownHosts } from '../../hosted/store/known-hosts.ts';

/** An agent process, or a host, that is connected to a hub. */
interface Connected {
  readonly name: string;
  readonly hubId: string;
  readonly isLocalOnly: boolean;
}

/** A hub that has an agent for an endpoint. */
export interface HubWithAgent {
  readonly hubId: string;
  readonly agentName: string;
}

interface Stores {
  readonly knownAgents: Pick<KnownAgents, 'ofWorkspace'>;
  readonly knownHosts: Pick<KnownHosts, 'all'>;
}

/** Workspaces of which it is known by heart who is connected where. */
const MOST = 20_000;

/**
 * Which hub has which agents, as they have written it. It is asked only for what no agent here can run, and kept until the bus
 * says that it has changed.
 */
export class RemoteAgents {
  readonly #stores: Stores;
  readonly #hubId: string;
  readonly #known = new Map<string, Promise<readonly Connected[]>>();
  #turn = 0;

  constructor(stores: Stores, hubId: string) {
    this.#stores = stores;
    this.#hubId = hubId;
  }

  /** In turn, where several have one; undefined: none has, but those that were asked already. */
  async choose(target: RegisteredEndpoint, asked: ReadonlySet<string>): Promise<HubWithAgent | undefined> {
    const workspaceId = isHosted(target) ? NO_WORKSPACE : target.workspaceId;
    const isByHeart = this.#known.has(workspaceId);
    const chosen = this.#choose(target, await this.#connected(workspaceId), asked);
    if (chosen !== undefined || !isByHeart) return chosen;
    // Nobody is refused for what this hub has not heard of yet.
    this.#known.delete(workspaceId);
    return this.#choose(target, await this.#connected(workspaceId), asked);
  }

  #choose(
    target: RegisteredEndpoint,
    all: readonly Connected[],
    asked: ReadonlySet<string>,
  ): HubWithAgent | undefined {
    const isForHost = isHosted(target);
    const meant = isForHost ? all : candidates(target, all, ({ name }) => name);
    const others = meant.filter(({ hubId }) => hubId !== this.#hubId && !asked.has(hubId));
    // One that runs only its own file says itself that it does not run this, where no other is (decision 32).
    const willing = others.filter(({ isLocalOnly }) => target.source === 'config' || !isLocalOnly);
    const these = willing.length > 0 ? willing : others;
    this.#turn += 1;
    const chosen = these[this.#turn % these.length];
    return chosen && { hubId: chosen.hubId, agentName: chosen.name };
  }

  /** Whether an agent of another name is connected to another hub: then this one is not "the only one" (decision 31). */
  async hasOtherThan(name: string, workspaceId: string): Promise<boolean> {
    const all = await this.#connected(workspaceId);
    return all.some((one) => one.hubId !== this.#hubId && one.name !== name);
  }

  forget(workspaceIds: readonly string[]): void {
    for (const id of workspaceIds) this.#known.delete(id);
  }

  forgetHosts(): void {
    this.#known.delete(NO_WORKSPACE);
  }

  forgetAll(): void {
    this.#known.clear();
  }

  #connected(workspaceId: string): Promise<readonly Connected[]> {
    const known = this.#known.get(workspaceId);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST) this.#known.clear();
    const asked = this.#ask(workspaceId);
    this.#known.set(workspaceId, asked);
    // What could not be read is asked for again.
    asked.catch(() => this.#known.delete(workspaceId));
    return asked;
  }

  async #ask(workspaceId: string): Promise<readonly Connected[]> {
    const { knownAgents, knownHosts } = this.#stores;
    const known =
      workspaceId === NO_WORKSPACE
        ? (await knownHosts.all()).map((host) => ({ ...host, name: HOSTED_AGENT, isLocalOnly: false }))
        : await knownAgents.ofWorkspace(workspaceId);
    return known.flatMap(({ name, hubId, isLocalOnly }) =>
      hubId === undefined ? [] : [{ name, hubId, isLocalOnly }],
    );
  }
}
