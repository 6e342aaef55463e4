const KEY = 'svc.looked';
/** A reload within that time is the same look. */
const ONE_LOOK_MS = 10 * 60_000;

interface Looks {
  readonly latestMs: number;
  /** Before the latest one. */
  readonly beforeMs: number;
}

/** When somebody looked at this page before now, on this machine; at first: now. */
export function lastLook(): number {
  const nowMs = Date.now();
  const { latestMs, beforeMs } = kept(nowMs);
  return nowMs - latestMs > ONE_LOOK_MS ? latestMs : beforeMs;
}

export function noteLook(): void {
  const nowMs = Date.now();
  localStorage.setItem(KEY, JSON.stringify({ latestMs: nowMs, beforeMs: lastLook() } satisfies Looks));
}

function kept(nowMs: number): Looks {
  try {
    const { latestMs, beforeMs } = JSON.parse(localStorage.getItem(KEY) ?? '') as Partial<Looks>;
    if (typeof latestMs === 'number' && typeof beforeMs === 'number') return { latestMs, beforeMs };
  } catch {
    // Nothing was kept, or something else.
  }
  return { latestMs: nowMs, beforeMs: nowMs };
}
