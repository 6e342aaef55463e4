import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { queryClient } from '../api/query-client.ts';
import { read } from '../api/read.ts';
import { NOW_CALLS } from '../first-reads.ts';

const KEY = 'svc.first-run';

/** The finished steps of the onboarding, from the data of the hub. */
export interface FirstRunState {
  readonly isOpen: boolean;
  /** The data is not loaded yet. */
  readonly isUnknown: boolean;
  readonly hasUsername: boolean;
  readonly hasAgent: boolean;
  readonly hasKey: boolean;
  readonly hasRun: boolean;
  /** An endpoint was created here, or a svc.yaml was changed after its agent first registered it. */
  readonly hasOwn: boolean;
  readonly close: () => void;
}

const READS = {
  agents: read('listAgents', { query: { limit: 30 } }),
  keys: read('listApiKeys', { query: { limit: 1 } }),
  endpoints: read('listEndpoints', { query: { limit: 100 } }),
  executions: read(...NOW_CALLS.firstRun),
} as const;

/** Starts to load the data that decides whether the onboarding is open. */
export function prefetchFirstRun(): Promise<void> {
  return queryClient.prefetchQuery(READS.executions);
}

/** The onboarding is open until the first execution or until the person closes it; once open, it shows its last step as done. */
export function useFirstRun(): FirstRunState {
  const { username } = useAccount();
  const executions = useQuery(READS.executions);
  const [isClosed, setIsClosed] = useState(() => localStorage.getItem(KEY) === 'closed');
  const [wasOpen, setWasOpen] = useState(false);
  const hasRun = isNotEmpty(executions.data);
  // After the first execution the other steps do not matter.
  const enabled = executions.data !== undefined && (!hasRun || wasOpen);
  const agents = useQuery({ ...READS.agents, enabled });
  const keys = useQuery({ ...READS.keys, enabled });
  const endpoints = useQuery({ ...READS.endpoints, enabled });
  const isLeft = enabled && !hasRun && agents.data !== undefined && keys.data !== undefined;
  useEffect(() => {
    if (isLeft) setWasOpen(true);
  }, [isLeft]);
  return {
    hasUsername: username !== null,
    hasAgent: isNotEmpty(agents.data),
    hasKey: isNotEmpty(keys.data),
    hasRun,
    hasOwn: endpoints.data?.items.some(({ source, version }) => source !== 'config' || version > 1) ?? false,
    isUnknown: executions.isPending || (enabled && (agents.isPending || keys.isPending)),
    isOpen: username === null || (!isClosed && (isLeft || wasOpen)),
    close() {
      localStorage.setItem(KEY, 'closed');
      setIsClosed(true);
    },
  };
}

function isNotEmpty(list: { readonly items: readonly unknown[] } | undefined): boolean {
  return list !== undefined && list.items.length > 0;
}
