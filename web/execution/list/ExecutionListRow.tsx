import { Link } from '@tanstack/react-router';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { Time } from '../../design/time/Time.tsx';
import { Took } from '../Took.tsx';
import type { WireExecution } from '../wire-execution.ts';
import { TRIGGER_WORDS, whyWords } from './execution-words.ts';

interface ExecutionRowProps {
  readonly execution: WireExecution;
  /** For a list of one endpoint. */
  readonly hidesEndpoint?: boolean;
}

/** An execution in a list. The whole row is a link. */
export function ExecutionListRow({ execution, hidesEndpoint = false }: ExecutionRowProps) {
  const {
    execution_id: id,
    endpoint,
    status,
    exit_code: exitCode,
    trigger,
    created_at: createdAt,
  } = execution;
  const why = whyWords(execution);
  return (
    <Link
      to="/executions/$id"
      params={{ id }}
      className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-1 py-1.5 hover:bg-raised sm:grid-cols-[9rem_minmax(0,1fr)_5rem_6rem_6rem]"
    >
      <StateMark state={status} />
      <span className="order-first col-span-2 flex min-w-0 flex-wrap items-baseline gap-x-3 sm:order-none sm:col-span-1">
        {!hidesEndpoint && <span className="font-mono font-semibold wrap-anywhere">{endpoint}</span>}
        <span className="text-sm text-soft">{TRIGGER_WORDS[trigger]}</span>
        {why !== undefined && (
          <span className="min-w-0 truncate text-sm text-soft" title={why}>
            <Visible text={why} />
          </span>
        )}
      </span>
      <span className="hidden text-right text-sm text-soft sm:block">
        {exitCode !== undefined && exitCode !== 0 ? `exit ${exitCode}` : ''}
      </span>
      <span className="hidden text-right sm:block">
        <Took execution={execution} />
      </span>
      <span className="text-right text-sm text-soft">
        <Time at={createdAt} />
      </span>
    </Link>
  );
}
