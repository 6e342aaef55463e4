/** One process of an agent, and the hub that it is connected to. */
export interface PresentProcess {
  readonly instance: string;
  readonly hubId: string;
}

/**
 * Whether anybody is connected under an agent name, as far as people are told.
 *
 *   (none) ─► online ─► away ─► offline ─► online
 *                 ▲       │
 *                 └───────┘  back within the window: nobody is told anything
 */
export interface Presence {
  readonly state: 'online' | 'away' | 'offline';
  /** Empty unless it is online. */
  readonly processes: readonly PresentProcess[];
  readonly sinceMs: number;
}

export interface PresenceChange {
  readonly presence: Presence;
  readonly tells: 'agent.online' | 'agent.offline' | undefined;
}

/** A process has connected; undefined: that is known. */
export function onConnected(
  before: Presence | undefined,
  arrived: PresentProcess,
  nowMs: number,
): PresenceChange | undefined {
  const others = before?.processes.filter(({ instance }) => instance !== arrived.instance) ?? [];
  const known = before?.processes.find(({ instance }) => instance === arrived.instance);
  if (known?.hubId === arrived.hubId) return undefined;
  const isNews = before === undefined || before.state === 'offline';
  const sinceMs = before?.state === 'online' ? before.sinceMs : nowMs;
  return {
    presence: { state: 'online', processes: [...others, arrived], sinceMs },
    tells: isNews ? 'agent.online' : undefined,
  };
}

/** A process is connected to that hub no more; undefined: it was not, or is to another by now. */
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
  return { presence, tells: undefined };
}

/** The window is over in which it could have come back; undefined: it has. The time stays the one at which it went. */
export function onAbsence(
  before: Presence | undefined,
  awaySinceUntilMs: number,
): PresenceChange | undefined {
  if (before?.state !== 'away' || before.sinceMs > awaySinceUntilMs) return undefined;
  return { presence: { ...before, state: 'offline' }, tells: 'agent.offline' };
}
