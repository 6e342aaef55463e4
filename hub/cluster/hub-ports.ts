/** Hubs write that they live; when one stops, another takes over what it had queued (decision 24). */
export interface Hubs {
  beat(hubId: string, nowMs: number): Promise<void>;
  /** All that did not stop in peace, with their last beats; each by its own clock. */
  beats(): Promise<ReadonlyMap<string, number>>;
  forget(hubId: string): Promise<void>;
}
