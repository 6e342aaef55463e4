import type { TailMessage } from '@svc/core/api/contract/tail-message';
import { Backoff } from '@svc/core/backoff';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { signInAgain } from '../account/sign-in-again.ts';
import { unlessSilent } from '../api/live/silence.ts';
import type { TailSearch } from './tail-search.ts';

export type TailPhase =
  | { readonly kind: 'connecting' | 'live' | 'waiting' }
  /** The hub refused the stream. */
  | { readonly kind: 'refused'; readonly status: number };

const PAUSE = { firstMs: 500, longestMs: 10_000 };

interface TailOptions {
  readonly search: TailSearch;
  readonly signal: AbortSignal;
  readonly onEvent: (event: TailMessage) => void;
  readonly onPhase: (phase: TailPhase) => void;
}

/** Follows `GET /tail` until `signal` aborts, and connects again after every break. */
export async function followTail({ search, signal, onEvent, onPhase }: TailOptions): Promise<void> {
  const backoff = new Backoff(PAUSE, (pauseMs) => pauseMs + Math.random() * PAUSE.firstMs);
  while (!signal.aborted) {
    onPhase({ kind: 'connecting' });
    const status = await readOnce(search, signal, (event) => {
      if (event.type === 'ready') {
        backoff.reset();
        onPhase({ kind: 'live' });
      }
      onEvent(event);
    }).catch(() => undefined);
    if (signal.aborted) return;
    if (status === 401) return signInAgain();
    onPhase(status === undefined || status === 200 ? { kind: 'waiting' } : { kind: 'refused', status });
    await pause(backoff.nextMs(), signal);
  }
}

/** Resolves with the status when the stream ends; rejects when the connection breaks or falls silent. */
async function readOnce(
  search: TailSearch,
  signal: AbortSignal,
  onEvent: (event: TailMessage) => void,
): Promise<number> {
  const silence = new AbortController();
  const response = await unlessSilent(
    'head',
    silence,
    fetch(`/tail${queryOf(search)}`, {
      headers: { Accept: 'text/event-stream', ...actingHeaders() },
      signal: AbortSignal.any([signal, silence.signal]),
    }),
  );
  if (!response.ok || response.body === null) return response.status;
  const decoder = new SseDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await unlessSilent('body', silence, reader.read());
    if (done) return response.status;
    for (const { data } of decoder.push(value)) onEvent(JSON.parse(data) as TailMessage);
  }
}

function queryOf({ endpoint, text, stderr }: TailSearch): string {
  const query = new URLSearchParams();
  if (endpoint !== undefined) query.set('endpoint', endpoint);
  if (text !== undefined) query.set('text', text);
  if (stderr) query.set('stream', 'stderr');
  return query.size === 0 ? '' : `?${query}`;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
