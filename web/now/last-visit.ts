const KEY = 'svc.looked';
/** A reload within this time belongs to the same visit. */
const VISIT_MS = 10 * 60_000;

interface Visits {
  readonly latestMs: number;
  /** The visit before the latest one. */
  readonly beforeMs: number;
}

/** The time of the previous visit in this browser; on the first visit: now. */
export function lastVisitMs(): number {
  const nowMs = Date.now();
  const { latestMs, beforeMs } = storedVisits(nowMs);
  return nowMs - latestMs > VISIT_MS ? latestMs : beforeMs;
}

export function recordVisit(): void {
  const nowMs = Date.now();
  localStorage.setItem(KEY, JSON.stringify({ latestMs: nowMs, beforeMs: lastVisitMs() } satisfies Visits));
}

function storedVisits(nowMs: number): Visits {
  try {
    const { latestMs, beforeMs } = JSON.parse(localStorage.getItem(KEY) ?? '') as Partial<Visits>;
    if (typeof latestMs === 'number' && typeof beforeMs === 'number') return { latestMs, beforeMs };
  } catch {
    // No visit is stored yet, or the stored text is invalid.
  }
  return { latestMs: nowMs, beforeMs: nowMs };
}
