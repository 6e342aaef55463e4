import { useSyncExternalStore } from 'react';
import { actingHeaders } from '../../account/chosen-workspace.ts';
import { signInAgain } from '../../account/sign-in-again.ts';
import { queryClient } from '../query-client.ts';
import { Freshener } from './freshen.ts';
import { type Connection, LiveEventStream } from './news-stream.ts';

const freshener = new Freshener(queryClient);

/** The one stream of this page. */
const stream = new LiveEventStream({
  headers: actingHeaders,
  onSignedOut: signInAgain,
  onEvent: (event) => freshener.take(event),
});

/** Begins when the page does. */
export function goLive(): void {
  void stream.follow();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => stream.subscribe(listener),
    () => stream.connection,
  );
}
