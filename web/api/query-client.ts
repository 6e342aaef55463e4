import { ApiError } from '@svc/core/api/client/api-error';
import { QueryClient } from '@tanstack/react-query';
import { Unreachable } from './client.ts';

/** What was read stays until something says that it has changed (`live/`): nothing is asked for again by the clock. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // The live stream says when the hub is back, and everything is read again then.
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && isPassing(error),
    },
    // What was sent and answered may be secret: it goes with the form or page that it was for.
    mutations: { networkMode: 'always', gcTime: 0 },
  },
});

function isPassing(error: Error): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.status >= 502);
}
