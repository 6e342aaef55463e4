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
  /** The agent runs only its own file, so it refuses the endpoint. */
  readonly willRefuse: boolean;
}

interface Stores {
  readonly knownAgents: Pick<KnownAgents, 'ofWorkspace'>;
  readonly knownHosts: Pick<KnownHosts, 'all'>;
}

/** The limit of cached workspaces. */
const MAX_ENTRIES = 20_000;

/**
 * Which hub has which agents, read from the store. It is used only when no agent of this hub can run a call. Entries are cached
 * until the bus reports a change.
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

  /** A hub with an agent for the endpoint, round robin. Undefined: no hub besides those already tried. */
  async choose(target: RegisteredEndpoint, tried: ReadonlySet<string>): Promise<HubWithAgent | undefined> {
    const workspaceId = isHosted(target) ? NO_WORKSPACE : target.workspaceId;
    const isByHeart = this.#known.has(workspaceId);
    const chosen = this.#choose(target, await this.#connected(workspaceId), tried);
    if (chosen !== undefined || !isByHeart) return chosen;
    // The cache may be older than a new connection, so read the store before the call is refused.
    this.#known.delete(workspaceId);
    return this.#choose(target, await this.#connected(workspaceId), tried);
  }

  #choose(
    target: RegisteredEndpoint,
    all: readonly Connected[],
    tried: ReadonlySet<string>,
  ): HubWithAgent | undefined {
    const isForHost = isHosted(target);
    const meant = isForHost ? all : candidates(target, all, ({ name }) => name);
    const others = meant.filter(({ hubId }) => hubId !== this.#hubId && !tried.has(hubId));
    // An agent that runs only its own file refuses this itself, where no other agent is (decision 32, commands of a file stay on
    // the agent).
    const willing = others.filter(({ isLocalOnly }) => target.source === 'config' || !isLocalOnly);
    const these = willing.length > 0 ? willing : others;
    this.#turn += 1;
    const chosen = these[this.#turn % these.length];
    return chosen && { hubId: chosen.hubId, agentName: chosen.name, willRefuse: willing.length === 0 };
  }

  /**
   * Whether an agent of another name is connected to another hub; then this one is not "the only one" (decision 31, which agent
   * runs an endpoint).
   */
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
    if (this.#known.size >= MAX_ENTRIES) this.#known.clear();
    const tried = this.#ask(workspaceId);
    this.#known.set(workspaceId, tried);
    // A failed read is repeated with the next request.
    tried.catch(() => this.#known.delete(workspaceId));
    return tried;
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
