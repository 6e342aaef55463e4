/** One process of an agent, and the hub that it is connected to. */
export interface PresentProcess {
  readonly instance: string;
  readonly hubId: string;
}

/**
 * Whether an agent name is online, as alerts report it.
 *
 *   (none) ─► online ─► away ─► offline ─► online
 *                 ▲       │
 *                 └───────┘  back within the grace period: no alert
 */
export interface Presence {
  readonly state: 'online' | 'away' | 'offline';
  /** The connected processes; empty unless it is online. */
  readonly processes: readonly PresentProcess[];
  readonly sinceMs: number;
}

export interface PresenceChange {
  readonly presence: Presence;
  readonly alert: 'agent.online' | 'agent.offline' | undefined;
}

/** Records a connected process; undefined if it was known. */
export function onConnected(
  before: Presence | undefined,
  arrived: PresentProcess,
  nowMs: number,
): PresenceChange | undefined {
  const others = before?.processes.filter(({ instance }) => instance !== arrived.instance) ?? [];
  const known = before?.processes.find(({ instance }) => instance === arrived.instance);
  if (known?.hubId === arrived.hubId) return undefined;
  const wasOffline = before === undefined || before.state === 'offline';
  const sinceMs = before?.state === 'online' ? before.sinceMs : nowMs;
  return {
    presence: { state: 'online', processes: [...others, arrived], sinceMs },
    alert: wasOffline ? 'agent.online' : undefined,
  };
}

/** Records a disconnect from that hub; undefined if the process was not connected there or has moved to another. */
export function onGone(
  before: Presence | undefined,
  gone: PresentProcess,
  nowMs: number,
): PresenceChange | undefined {
  if (before === undefined) return undefined;
  const rest = before.processes.filter(
    ({ instance, hubId }) => instance !== gone.instance || hubId !== gone.hubId,
  );
  if (rest.length === before.processes.length) return undefined;
  const presence: Presence =
    rest.length > 0 ? { ...before, processes: rest } : { state: 'away', processes: [], sinceMs: nowMs };
  return { presence, alert: undefined };
}

/** Ends the reconnect grace period; undefined if the agent is back. The time stays that of the disconnect. */
export function onAbsence(
  before: Presence | undefined,
  awaySinceUntilMs: number,
): PresenceChange | undefined {
  if (before?.state !== 'away' || before.sinceMs > awaySinceUntilMs) return undefined;
  return { presence: { ...before, state: 'offline' }, alert: 'agent.offline' };
}
