/** Hubs write that they live; when one stops, another takes over what it had queued (decision 24, states and takeover). */
export interface Hubs {
  beat(hubId: string, nowMs: number): Promise<void>;
  /** The last heartbeats of all hubs that did not stop properly, each by the clock of its hub. */
  heartbeats(): Promise<ReadonlyMap<string, number>>;
  forget(hubId: string): Promise<void>;
}
