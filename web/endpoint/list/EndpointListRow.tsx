import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from '../../design/classes.ts';
import { Star } from '../../design/icons.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { STATES, TONE_CLASS } from '../../design/state/states.ts';
import { Visible } from '../../design/text/Code.tsx';
import { Time } from '../../design/time/Time.tsx';
import { duration } from '../../design/time/time-words.ts';
import type { WireExecution } from '../../execution/wire-execution.ts';
import { LastLine } from '../../now/LastLine.tsx';
import { stripMarks } from '../history/history-strip.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { endpointState } from './endpoint-state.ts';
import { POLL_MS, RECENT, recentExecutions } from './recent-executions.ts';
import { type RecentFigures, rateWords, recentFigures } from './recent-figures.ts';
import { TABLE } from './table.ts';
import { traitsOf } from './traits.ts';

const NONE: readonly WireExecution[] = [];

interface EndpointRowProps {
  readonly endpoint: WireEndpoint;
  readonly isStarred: boolean;
  readonly onStar: () => void;
  /** Undefined: more executions run than the page knows. */
  readonly isRunning: boolean | undefined;
  /** An execution that runs now, whose last line of output is shown. */
  readonly followedId: string | undefined;
}

/** An endpoint in the table: star, state, name, its last runs in figures, agent, and the link to run it. */
export function EndpointListRow({ endpoint, isStarred, onStar, isRunning, followedId }: EndpointRowProps) {
  const { slug, agent_name: agent, agent_status: status } = endpoint;
  const executions = useRecent(slug);
  const { successRate, p95Ms, lastAt } = recentFigures(executions ?? NONE);
  const state = endpointState(endpoint, {
    isRunning,
    last: (executions ?? NONE).map((one) => one.status),
  });
  return (
    <div className={classes(TABLE, '-mx-4 min-h-9 px-4 hover:bg-accent-wash')}>
      <button
        type="button"
        aria-label={`Star ${slug}`}
        aria-pressed={isStarred}
        onClick={onStar}
        className={classes('cursor-pointer py-1', isStarred ? 'text-waiting' : 'text-edge hover:text-ink')}
      >
        <Star className="size-4" fill={isStarred ? 'currentColor' : 'none'} />
      </button>
      <span className="flex justify-center">{state && <StateMark state={state} isCompact />}</span>
      <EndpointName endpoint={endpoint} followedId={followedId} />
      <span className="hidden truncate text-sm text-soft 2xl:block">
        <span className="sr-only">Command: </span>
        <Command text={endpoint.command} />
      </span>
      <Strip executions={executions ?? NONE} />
      <Figure name="Success">{successRate !== undefined && <Rate rate={successRate} />}</Figure>
      <Figure name="p95">{p95Ms !== undefined && duration(p95Ms)}</Figure>
      <span className="text-right text-sm whitespace-nowrap text-soft">
        <span className="sr-only">Last run: </span>
        {lastAt === undefined ? executions && 'never' : <Time at={lastAt} />}
      </span>
      <span className="hidden min-w-0 items-center gap-2 pl-3 text-sm text-soft xl:flex">
        <StateMark state={status === 'online' ? 'online' : 'offline'} isCompact />
        <span className="truncate">
          <Visible text={agent} />
        </span>
      </span>
      <Link
        to="/endpoints/$name"
        params={{ name: slug }}
        aria-label={`Run ${slug}`}
        className="text-right font-semibold text-accent hover:underline"
      >
        Run
      </Link>
    </div>
  );
}

function EndpointName({ endpoint, followedId }: Pick<EndpointRowProps, 'endpoint' | 'followedId'>) {
  const { slug, description, command } = endpoint;
  const traits = traitsOf(endpoint);
  return (
    <div className="flex min-w-0 items-baseline gap-x-3">
      <Link
        to="/endpoints/$name"
        params={{ name: slug }}
        className="max-w-full shrink-0 truncate font-mono font-semibold hover:text-accent hover:underline"
      >
        {slug}
      </Link>
      {endpoint.waits_for.length > 0 && (
        <span className="text-sm whitespace-nowrap text-waiting">needs admin approval</span>
      )}
      {followedId !== undefined && <LastLine executionId={followedId} className="hidden md:flex" />}
      {traits.length > 0 && (
        <span className="hidden text-sm whitespace-nowrap text-soft lg:inline">{traits.join(' · ')}</span>
      )}
      {[...new Set(endpoint.tags)].map((tag) => (
        <Link
          key={tag}
          to="/endpoints"
          search={{ tag }}
          aria-label={`Show endpoints with the tag ${tag}`}
          className="hidden rounded bg-sunken px-1 text-xs whitespace-nowrap text-soft hover:text-ink lg:inline"
        >
          {tag}
        </Link>
      ))}
      <span
        className={classes(
          'min-w-0 truncate text-sm text-soft',
          followedId === undefined ? 'hidden md:inline' : 'hidden',
        )}
      >
        {description === null ? (
          // On a wide screen the command has a column.
          <span className="2xl:hidden">
            <Command text={command} />
          </span>
        ) : (
          <Visible text={description} />
        )}
      </span>
    </div>
  );
}

const MAX_SHOWN_CHARS = 300;

function Command({ text }: { readonly text: string }) {
  return (
    <code>
      <Visible text={firstLine(text)} />
    </code>
  );
}

function firstLine(command: string): string {
  const [first = ''] = command.split('\n');
  return `${first.slice(0, MAX_SHOWN_CHARS)}${first === command ? '' : ' …'}`;
}

function useRecent(slug: string): readonly WireExecution[] | undefined {
  const { data } = useQuery({ ...recentExecutions(slug), refetchInterval: POLL_MS });
  return data?.items;
}

/** A bar and the gap beside it. */
const SLOT_PX = 5;
const SLOTS = `repeating-linear-gradient(to left, var(--slot) 0 ${SLOT_PX - 1}px, transparent 0 ${SLOT_PX}px)`;

/**
 * The last runs as bars from the oldest to the newest: colour for the state, height for the duration. A faint slot stands for each
 * run that is missing, so that a single bar does not look like an error.
 */
function Strip({ executions }: { readonly executions: readonly WireExecution[] }) {
  const failed = executions.filter(({ status }) => STATES[status].tone === 'bad').length;
  return (
    <span
      role="img"
      aria-label={`Last ${executions.length} runs, ${failed} failed`}
      style={{ width: RECENT * SLOT_PX - 1, background: SLOTS }}
      className="hidden h-5 items-end 2xl:h-7 justify-end gap-px justify-self-end md:flex"
    >
      {stripMarks(executions).map(({ id, status, height }) => (
        <span
          key={id}
          title={STATES[status].word}
          className={classes('w-1 bg-current', TONE_CLASS[STATES[status].tone])}
          style={{ height: `${Math.max(height, 0.15) * 100}%` }}
        />
      ))}
    </span>
  );
}

function Rate({ rate }: { readonly rate: NonNullable<RecentFigures['successRate']> }) {
  return <span className={rate < 1 ? 'font-semibold text-bad' : 'text-soft'}>{rateWords(rate)}</span>;
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className="hidden text-right text-sm whitespace-nowrap md:block">
      <span className="sr-only">{name}: </span>
      {children || <span className="text-soft">–</span>}
    </span>
  );
}
