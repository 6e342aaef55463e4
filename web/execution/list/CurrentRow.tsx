import { hasEnded } from '@svc/core/execution/state';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import type { WireExecution } from '../wire-execution.ts';
import { ExecutionRow } from './ExecutionRow.tsx';

/** A row that follows its execution until the end, however long ago its page of the list was read. */
export function CurrentRow({ execution }: { readonly execution: WireExecution }) {
  const isOpen = !hasEnded(execution.status);
  const { data } = useQuery({
    ...read('showExecution', { parameters: { id: execution.execution_id }, query: { without: 'result' } }),
    enabled: isOpen,
  });
  return <ExecutionRow execution={isOpen && data !== undefined ? data : execution} />;
}
