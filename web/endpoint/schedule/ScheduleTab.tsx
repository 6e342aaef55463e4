import { parseCron } from '@svc/core/schedule/cron';
import { cronWords } from '@svc/core/schedule/cron-words';
import { nextFires } from '@svc/core/schedule/fire-times';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../account/account.ts';
import { api } from '../../api/client.ts';
import type { Item } from '../../api/read.ts';
import { Toggle } from '../../design/form/Toggle.tsx';
import { Empty } from '../../design/list/Empty.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { StateMark } from '../../design/state/StateMark.tsx';
import { useNow } from '../../design/time/now.ts';
import { LocalTime, Time } from '../../design/time/Time.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';

const NEXT = 5;
/** The next runs are counted from now, and now goes on. */
const CHECK_MS = 5_000;

/** The schedule of an endpoint: in words, its next runs and its last ones. */
export function ScheduleTab({ endpoint }: { readonly endpoint: WireEndpoint }) {
  if (endpoint.schedule === null)
    return (
      <Empty title="No schedule">
        <p>
          A schedule runs the endpoint at set times: a cron expression in UTC, such as <code>0 3 * * *</code>{' '}
          for every night at 03:00.
        </p>
        <Link
          to="/endpoints/$name"
          params={{ name: endpoint.slug }}
          search={(before) => ({ ...before, tab: 'settings' })}
          className="text-accent underline"
        >
          Set schedule
        </Link>
      </Empty>
    );
  return <Scheduled slug={endpoint.slug} expression={endpoint.schedule} />;
}

function Scheduled({ slug, expression }: { readonly slug: string; readonly expression: string }) {
  // The key starts with the route, so that its live events make the query stale.
  const { data, error, refetch } = useQuery({
    queryKey: ['listSchedules', 'of', slug],
    queryFn: async () => (await scheduleOf(slug)) ?? null,
  });
  if (data === undefined)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the schedule" />;
  const state = data?.state ?? 'active';
  return (
    <div className="flex flex-col gap-4">
      <div>
        <p className="text-lg first-letter:uppercase">{wordsOf(expression)}</p>
        <code className="text-soft">{expression}</code>
      </div>
      <PauseToggle slug={slug} state={state} />
      {state === 'active' && <NextFires expression={expression} />}
      {data?.last_fire && <Fire title="Last run" fire={data.last_fire} />}
      {data?.last_missed && <Fire title="Last missed run" fire={data.last_missed} />}
    </div>
  );
}

function PauseToggle({
  slug,
  state,
}: {
  readonly slug: string;
  readonly state: 'active' | 'paused' | 'ignored';
}) {
  const client = useQueryClient();
  const edit = useMay('endpoint.edit');
  const change = useMutation({
    mutationFn: (isActive: boolean) =>
      isActive
        ? api.resumeSchedule({ parameters: { name: slug } })
        : api.pauseSchedule({ parameters: { name: slug } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['listSchedules'] }),
  });
  const ignored = 'Over the schedule limit of the plan. Earlier schedules keep running.';
  return (
    <div className="flex flex-col gap-1">
      <Toggle
        label={state === 'active' ? 'Active' : state === 'paused' ? 'Paused' : 'Ignored'}
        isOn={state === 'active'}
        onChange={(isOn) => change.mutate(isOn)}
        why={edit.ok ? (state === 'ignored' ? ignored : undefined) : edit.reason}
        hint={
          state === 'ignored'
            ? ignored
            : 'A paused schedule starts no runs, and skipped runs are not repeated. Calls still work.'
        }
      />
      {change.error && <Problem error={change.error} />}
    </div>
  );
}

function NextFires({ expression }: { readonly expression: string }) {
  const nowMs = useNow(CHECK_MS);
  const cron = parseCron(expression);
  if (cron.kind === 'problem') return null;
  return (
    <div>
      <h3 className="text-sm font-semibold">Next runs</h3>
      <ol className="mt-1">
        {nextFires(cron.fields, nowMs, NEXT).map((atMs) => (
          <li key={atMs} className="flex gap-4">
            <LocalTime at={new Date(atMs).toISOString()} />
            <span className="text-soft">
              <Time at={new Date(atMs).toISOString()} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface FireProps {
  readonly title: string;
  readonly fire: NonNullable<NonNullable<Awaited<ReturnType<typeof scheduleOf>>>['last_fire']>;
}

function Fire({ title, fire }: FireProps) {
  return (
    <div>
      <h3 className="text-sm font-semibold">{title}</h3>
      <Link
        to="/executions/$id"
        params={{ id: fire.execution_id }}
        className="mt-1 inline-flex items-center gap-4 hover:underline"
      >
        <StateMark state={fire.status} />
        <Time at={fire.scheduled_for} />
      </Link>
    </div>
  );
}

function wordsOf(expression: string): string {
  const cron = parseCron(expression);
  return cron.kind === 'cron' ? cronWords(cron.fields) : cron.message;
}

const PAGE = 100;

/** The schedule of one endpoint, found by reading the list of schedules page by page. */
async function scheduleOf(slug: string): Promise<Item<'listSchedules'> | undefined> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await api.listSchedules({
      query: { limit: PAGE, ...(cursor !== undefined && { cursor }) },
    });
    const found = items.find(({ endpoint }) => endpoint === slug);
    if (found !== undefined) return found;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return undefined;
}
