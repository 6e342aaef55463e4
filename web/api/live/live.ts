import { useSyncExternalStore } from 'react';
import { actingHeaders } from '../../account/chosen-workspace.ts';
import { leaveWorkspace, signInAgain } from '../../account/sign-in-again.ts';
import { EVENTS_PATH, takeBegun } from '../../begun-requests.ts';
import { queryClient } from '../query-client.ts';
import { LiveEventStream, type StreamConnection } from './live-event-stream.ts';
import { QueryRefresher } from './query-refresher.ts';

const refresher = new QueryRefresher(queryClient);

/** The only live stream of this page. */
const stream = new LiveEventStream({
  headers: actingHeaders,
  begun: () => takeBegun(EVENTS_PATH),
  onSignedOut: signInAgain,
  onRefused: leaveWorkspace,
  onSecondFactorNeeded: () => void queryClient.invalidateQueries({ queryKey: ['showWorkspace'] }),
  onEvent: (event) => refresher.onEvent(event),
});

/** Starts the live stream. */
export function startLiveEvents(): void {
  void stream.follow();
}

export function isConnected(): boolean {
  return stream.connection.kind === 'live';
}

/** Resolves as soon as the live stream is connected. */
export function whenConnected(): Promise<void> {
  return new Promise((resolve) => {
    if (isConnected()) return resolve();
    const unsubscribe = stream.subscribe(() => {
      if (!isConnected()) return;
      unsubscribe();
      resolve();
    });
  });
}

/** Resolves after `ms`, when the live stream connects anew, or on abort; without `ms` only then. */
export function pauseBeforeRetry(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    const unsubscribe = stream.subscribe(() => isConnected() && end());
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

export function useConnection(): StreamConnection {
  return useSyncExternalStore(
    (listener) => stream.subscribe(listener),
    () => stream.connection,
  );
}
