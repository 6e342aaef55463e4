import { hasEnded } from '@svc/core/execution/state';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import type { WireExecution } from '../wire-execution.ts';
import { ExecutionRow } from './ExecutionRow.tsx';

/** The row of an execution that may still go on: what is in sight is kept as it is now, however long ago its page was read. */
export function CurrentRow({ execution }: { readonly execution: WireExecution }) {
  const isOpen = !hasEnded(execution.status);
  const { data } = useQuery({
    ...read('showExecution', { parameters: { id: execution.execution_id }, query: { without: 'result' } }),
    enabled: isOpen,
  });
  return <ExecutionRow execution={isOpen && data !== undefined ? data : execution} />;
}
