import {
  onAbsence,
  onConnected,
  onGone,
  type Presence,
  type PresenceChange,
  type PresentProcess,
} from '@svc/core/alert/presence';
import { tellAgent } from '@svc/core/alert/tell';
import { RECONNECT_GRACE_MS } from '@svc/core/execution/recovery';
import type { AgentPresences } from '../alerts/alert-ports.ts';
import { ExpiredHubs } from '../cluster/expired-hubs.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { AgentAddress, AgentDirectory } from './directory-ports.ts';

type WatchPorts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly hubs: Hubs;
  readonly hubId: string;
  readonly agents: AgentDirectory;
} & {
  readonly agentPresences: AgentPresences;
  readonly turns: KeyedMutex;
};

type Name = Pick<AgentAddress, 'workspaceId' | 'name'>;

/** Tells that agents are offline, after the window in which they may come back, and that they are online again. */
export class AgentWatch {
  readonly #ports: WatchPorts;
  readonly #lapsed: ExpiredHubs;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
    this.#lapsed = new ExpiredHubs(ports);
  }

  async connected(address: AgentAddress): Promise<void> {
    const { clock, hubId } = this.#ports;
    const process = { instance: address.instance, hubId };
    await this.#change(address, (before) => onConnected(before, process, clock.nowMs()));
  }

  async gone(address: AgentAddress): Promise<void> {
    await this.#gone(address, { instance: address.instance, hubId: this.#ports.hubId });
  }

  /** Those whose window is over; to be asked again and again, by any hub. */
  async tellAbsences(): Promise<void> {
    const { clock, agentPresences } = this.#ports;
    const untilMs = clock.nowMs() - RECONNECT_GRACE_MS;
    for (const { workspaceId, agentName } of await agentPresences.awaySince(untilMs))
      await this.#change({ workspaceId, name: agentName }, (before) => onAbsence(before, untilMs));
  }

  /** Those who went without a word: their hub has died, or was started anew and they did not come back. */
  async findLost(): Promise<void> {
    const online = await this.#ports.agentPresences.online();
    const hubs = new Set(online.flatMap(({ processes }) => processes.map(({ hubId }) => hubId)));
    const lapsed = new Set(await this.#lapsed.among([...hubs]));
    for (const { workspaceId, agentName: name, processes } of online)
      for (const process of processes) {
        const isLost = () => lapsed.has(process.hubId) || this.#isMissing({ workspaceId, name }, process);
        if (isLost()) await this.#gone({ workspaceId, name }, process, isLost);
      }
  }

  #isMissing({ workspaceId, name }: Name, { instance, hubId }: PresentProcess): boolean {
    const { agents, hubId: own } = this.#ports;
    const isHere = (process: AgentAddress) => process.name === name && process.instance === instance;
    return hubId === own && !agents.connected(workspaceId).some(isHere);
  }

  /** `isStill`: asked again when its turn has come, for it may have connected meanwhile. */
  async #gone(name: Name, process: PresentProcess, isStill = () => true): Promise<void> {
    const { clock } = this.#ports;
    await this.#change(name, (before) => (isStill() ? onGone(before, process, clock.nowMs()) : undefined));
  }

  /** Load, decide, store by compare-and-set; again when another hub was faster. */
  async #change(
    { workspaceId, name }: Name,
    decide: (before: Presence | undefined) => PresenceChange | undefined,
  ): Promise<void> {
    const { clock, turns } = this.#ports;
    await turns.take(`presence ${workspaceId} ${name}`, async () => {
      while (!(await untilAnswered(clock, () => this.#tryChange({ workspaceId, name }, decide))));
    });
  }

  async #tryChange(
    { workspaceId, name: agentName }: Name,
    decide: (before: Presence | undefined) => PresenceChange | undefined,
  ): Promise<boolean> {
    const { agentPresences, clock, random } = this.#ports;
    const before = await agentPresences.find(workspaceId, agentName);
    const change = decide(before);
    if (change === undefined) return true;
    const { presence, tells } = change;
    const told = { id: random.uuid(), workspaceId, atMs: clock.nowMs() };
    const event = tells && tellAgent(told, tells, { agentName, sinceMs: presence.sinceMs });
    const revision = before === undefined ? 0 : before.revision + 1;
    return await agentPresences.store({ ...presence, workspaceId, agentName, revision }, event);
  }
}
