import { withShownAddresses } from '@svc/core/text/shown-address';
import { visibleText } from '@svc/core/text/visible-text';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from '../../design/classes.ts';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Visible } from '../../design/text/Code.tsx';
import { Time } from '../../design/time/Time.tsx';
import { LastLine } from '../../now/LastLine.tsx';
import { Took } from '../Took.tsx';
import type { WireExecution } from '../wire-execution.ts';
import { gridOf } from './columns.ts';
import { TRIGGER_WORDS, whyWords } from './execution-words.ts';
import { COLUMNS, type Column, DEFAULT_COLUMNS } from './stored-columns.ts';

/** On a phone the name has a line of its own, above state and time. */
const GRID = 'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 sm:grid-cols-(--columns)';
const RIGHT: readonly Column[] = ['version', 'exit', 'duration'];

interface ExecutionRowProps {
  readonly execution: WireExecution;
  /** For a list of one endpoint. */
  readonly hidesEndpoint?: boolean;
  readonly columns?: readonly Column[];
  /** Shows the last line of output while the execution runs. */
  readonly isFollowed?: boolean;
}

/** An execution in a list. The whole row is a link. */
export function ExecutionListRow({
  execution,
  hidesEndpoint = false,
  columns = DEFAULT_COLUMNS,
  isFollowed = false,
}: ExecutionRowProps) {
  const { execution_id: id, endpoint, status, created_at: createdAt } = execution;
  const why = whyWords(execution);
  return (
    <Link
      to="/executions/$id"
      params={{ id }}
      style={{ '--columns': gridOf(columns) } as React.CSSProperties}
      className={classes(GRID, 'min-h-11 grow py-1.5 sm:min-h-9 sm:py-1 pointer-coarse:min-h-11')}
    >
      <StateMark state={status} />
      <span className="order-first col-span-2 flex min-w-0 flex-wrap items-baseline gap-x-3 sm:order-none sm:col-span-1">
        {!hidesEndpoint && <span className="font-mono font-semibold wrap-anywhere">{endpoint}</span>}
        {isFollowed && status === 'running' && (
          <LastLine executionId={id} className="basis-full sm:flex-1 sm:basis-0" />
        )}
        {why !== undefined && (
          <span className="min-w-0 truncate text-sm text-soft" title={why}>
            <Visible text={why} />
          </span>
        )}
      </span>
      {columns.map((column) => (
        <span
          key={column}
          className={classes(
            'hidden min-w-0 truncate text-sm text-soft sm:block',
            RIGHT.includes(column) && 'text-right',
          )}
        >
          {CELLS[column](execution)}
        </span>
      ))}
      <span className="text-right text-sm text-soft">
        <Time at={createdAt} />
      </span>
    </Link>
  );
}

const CELLS: Readonly<Record<Column, (execution: WireExecution) => ReactNode>> = {
  trigger: ({ trigger }) => TRIGGER_WORDS[trigger],
  caller: ({ requested_by: by }) => <Visible text={withShownAddresses(by)} />,
  args: ({ args = {} }) => <Arguments values={args} />,
  agent: ({ agent_name: agent }) => agent !== null && <Visible text={agent} />,
  version: ({ endpoint_version: version }) => version !== null && `v${version}`,
  exit: ({ exit_code: exitCode }) => exitCode !== undefined && exitCode !== 0 && `exit ${exitCode}`,
  duration: (execution) => <Took execution={execution} />,
};

/** The values of the call on one line; those of secrets are never known. */
function Arguments({ values }: { readonly values: NonNullable<WireExecution['args']> }) {
  const text = Object.entries(values)
    .map(([name, value]) => `${name}=${value === null ? '(secret)' : quotedWithSpace(value)}`)
    .join(' ');
  return (
    <code title={visibleText(text)}>
      <Visible text={text} />
    </code>
  );
}

/** In quotes where it contains white space, so that it cannot look like two values. */
function quotedWithSpace(value: string): string {
  return /\s/.test(value) ? JSON.stringify(value) : value;
}

/** The names of the columns, above the rows. */
export function ExecutionHeaders({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <div
      aria-hidden
      style={{ '--columns': gridOf(columns) } as React.CSSProperties}
      className={classes(GRID, 'hidden! grow text-xs text-soft sm:grid!')}
    >
      <span>State</span>
      <span>Endpoint</span>
      {columns.map((column) => (
        <span key={column} className={classes(RIGHT.includes(column) && 'text-right')}>
          {COLUMNS[column].label}
        </span>
      ))}
      <span className="text-right">Created</span>
    </div>
  );
}
