import { agentAlert } from '@svc/core/alert/make-event';
import {
  onAbsence,
  onConnected,
  onGone,
  type Presence,
  type PresenceChange,
  type PresentProcess,
} from '@svc/core/alert/presence';
import { RECONNECT_GRACE_MS } from '@svc/core/execution/recovery';
import type { AgentPresences } from '../alerts/store/agent-presences.ts';
import { ExpiredHubs } from '../cluster/expired-hubs.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { AgentAddress, AgentDirectory } from './directory-ports.ts';

type WatchDeps = {
  readonly clock: Clock;
  readonly random: Random;
  readonly hubs: Hubs;
  readonly hubId: string;
  readonly agents: AgentDirectory;
} & {
  readonly agentPresences: AgentPresences;
  readonly mutex: KeyedMutex;
};

type Name = Pick<AgentAddress, 'workspaceId' | 'name'>;

/** Publishes that agents are offline, after the reconnect grace period, and that they are online again. */
export class AgentWatch {
  readonly #deps: WatchDeps;
  readonly #expiredHubs: ExpiredHubs;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#expiredHubs = new ExpiredHubs(deps);
  }

  async connected(address: AgentAddress): Promise<void> {
    const { clock, hubId } = this.#deps;
    const process = { instance: address.instance, hubId };
    await this.#change(address, (before) => onConnected(before, process, clock.nowMs()));
  }

  async gone(address: AgentAddress): Promise<void> {
    await this.#gone(address, { instance: address.instance, hubId: this.#deps.hubId });
  }

  /** Publishes the agents whose grace period is over. Any hub may poll it. */
  async publishOffline(): Promise<void> {
    const { clock, agentPresences } = this.#deps;
    const untilMs = clock.nowMs() - RECONNECT_GRACE_MS;
    for (const { workspaceId, agentName } of await agentPresences.offlineSince(untilMs))
      await this.#change({ workspaceId, name: agentName }, (before) => onAbsence(before, untilMs));
  }

  /** The agents that disappeared without a disconnect, because their hub died or restarted. */
  async findLost(): Promise<void> {
    const online = await this.#deps.agentPresences.online();
    const hubs = new Set(online.flatMap(({ processes }) => processes.map(({ hubId }) => hubId)));
    const expired = new Set(await this.#expiredHubs.among([...hubs]));
    for (const { workspaceId, agentName: name, processes } of online)
      for (const process of processes) {
        const isLost = () => expired.has(process.hubId) || this.#isMissing({ workspaceId, name }, process);
        if (isLost()) await this.#gone({ workspaceId, name }, process, isLost);
      }
  }

  #isMissing({ workspaceId, name }: Name, { instance, hubId }: PresentProcess): boolean {
    const { agents, hubId: own } = this.#deps;
    const isHere = (process: AgentAddress) => process.name === name && process.instance === instance;
    return hubId === own && !agents.connected(workspaceId).some(isHere);
  }

  /** `isStill` is checked again under the lock, because the agent may have connected meanwhile. */
  async #gone(name: Name, process: PresentProcess, isStill = () => true): Promise<void> {
    const { clock } = this.#deps;
    await this.#change(name, (before) => (isStill() ? onGone(before, process, clock.nowMs()) : undefined));
  }

  /** Loads, decides and stores by compare-and-set; repeats when another hub was first. */
  async #change(
    { workspaceId, name }: Name,
    decide: (before: Presence | undefined) => PresenceChange | undefined,
  ): Promise<void> {
    const { clock, mutex } = this.#deps;
    await mutex.take(`presence ${workspaceId} ${name}`, async () => {
      while (!(await untilAnswered(clock, () => this.#tryChange({ workspaceId, name }, decide))));
    });
  }

  async #tryChange(
    { workspaceId, name: agentName }: Name,
    decide: (before: Presence | undefined) => PresenceChange | undefined,
  ): Promise<boolean> {
    const { agentPresences, clock, random } = this.#deps;
    const before = await agentPresences.find(workspaceId, agentName);
    const change = decide(before);
    if (change === undefined) return true;
    const { presence, alert } = change;
    const base = { id: random.uuid(), workspaceId, atMs: clock.nowMs() };
    const event = alert && agentAlert(base, alert, { agentName, sinceMs: presence.sinceMs });
    const revision = before === undefined ? 0 : before.revision + 1;
    return await agentPresences.store({ ...presence, workspaceId, agentName, revision }, event);
  }
}
