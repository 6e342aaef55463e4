/** The query of a request: ids of events, and how many of the last ones (decision 90, output from its end). */
export interface RequestedEvents {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly last?: number | undefined;
}

/** The effects of a stream, replaced in tests. */
export interface StreamPorts {
  readonly open: (executionId: string, events: RequestedEvents, signal: AbortSignal) => Promise<Response>;
  /** Resolves after `ms`, when the dashboard has connected to the hub anew, or on abort; without `ms` only then. */
  readonly pause: (ms: number | undefined, signal: AbortSignal) => Promise<void>;
  /** Calls `onSilence` unless it is called off before the hub has been silent for too long. */
  readonly watchSilence: (step: 'head' | 'body', onSilence: () => void) => () => void;
  readonly random: () => number;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** Called before each slice of a large read, so that the page stays responsive. */
  readonly yieldToPage: () => Promise<void>;
}

export type StreamPhase =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The connection failed; the next attempt starts after `retryMs`. */
  | { readonly kind: 'waiting'; readonly retryMs: number }
  | { readonly kind: 'ended' }
  /** The hub refused the stream several times in a row. */
  | { readonly kind: 'refused'; readonly status: number };
