import { ApiError } from '@svc/core/api/client/api-error';
import { QueryClient } from '@tanstack/react-query';
import { Unreachable } from './client.ts';

/** Data stays fresh until a live event makes it stale (`live/`); nothing is polled. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      // The live stream notices when the hub is back; everything is refetched then.
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && isTemporary(error),
    },
    // Requests and responses of actions may hold secrets: they are dropped with the form that sent them.
    mutations: { networkMode: 'always', gcTime: 0 },
  },
});

function isTemporary(error: Error): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.status >= 502);
}
