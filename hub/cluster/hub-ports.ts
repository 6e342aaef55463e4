/** Hubs store heartbeats; when one stops, another takes over its queued executions (decision 24, states and takeover). */
export interface Hubs {
  heartbeat(hubId: string, nowMs: number): Promise<void>;
  /** The last heartbeats of all hubs that did not stop properly, in the time of each hub's clock. */
  heartbeats(): Promise<ReadonlyMap<string, number>>;
  /** The hubs whose program does not know a migration, by its number, such as `0043`. */
  without(migration: string): Promise<readonly string[]>;
  forget(hubId: string): Promise<void>;
}
