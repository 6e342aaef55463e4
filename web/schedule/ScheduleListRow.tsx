import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useMay } from '../account/account.ts';
import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Toggle } from '../design/form/Toggle.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { grouped } from '../design/text/grouped.ts';
import { useNow } from '../design/time/now.ts';
import { Time } from '../design/time/Time.tsx';

type Schedule = Item<'listSchedules'>;

const STATE_WORDS = { active: 'Active', paused: 'Paused', ignored: 'Ignored' } as const;

const IGNORED = 'Over the schedule limit of the plan. Earlier schedules keep running.';

export function ScheduleListRow({ schedule }: { readonly schedule: Schedule }) {
  const { endpoint, words, schedule: expression, state, next_fires, last_fire, last_missed } = schedule;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 py-2">
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <Link to="/endpoints/$name" params={{ name: endpoint }} className="font-semibold hover:underline">
            <code>{endpoint}</code>
          </Link>
          <span className="first-letter:uppercase">{words}</span>
          <code className="text-sm text-soft">{expression}</code>
        </div>
        <div className="flex flex-wrap gap-x-6 gap-y-1 text-sm text-soft">
          {next_fires.length > 0 && <NextFires times={next_fires} />}
          {last_fire && <Fire word="Last run:" fire={last_fire} />}
          {last_missed && <Fire word="Last missed:" fire={last_missed} />}
          {state === 'ignored' && <span className="text-waiting">{IGNORED}</span>}
        </div>
      </div>
      <Pause endpoint={endpoint} state={state} />
    </div>
  );
}

/** A time that has come is no longer a next one, even before the list is read again. */
const CHECK_MS = 5_000;

function NextFires({ times }: { readonly times: readonly string[] }) {
  const nowMs = useNow(CHECK_MS);
  const next = times.filter((at) => Date.parse(at) > nowMs);
  if (next.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-x-2">
      Next:
      {next.slice(0, 3).map((at, index) => (
        <Fragment key={at}>
          {index > 0 && <span aria-hidden="true">·</span>}
          <Time at={at} />
        </Fragment>
      ))}
    </span>
  );
}

interface FireProps {
  readonly word: string;
  readonly fire: NonNullable<Schedule['last_fire']>;
}

function Fire({ word, fire: { execution_id, status, scheduled_for, reason, missed_fires } }: FireProps) {
  return (
    <Link
      to="/executions/$id"
      params={{ id: execution_id }}
      className="flex items-center gap-2 hover:underline"
    >
      {word} <StateMark state={status} />
      {missed_fires !== undefined && missed_fires > 1 && <span>× {grouped(missed_fires)}</span>}
      {reason !== undefined && <span>({reason.replaceAll('_', ' ')})</span>}
      <Time at={scheduled_for} />
    </Link>
  );
}

function Pause({ endpoint, state }: { readonly endpoint: string; readonly state: Schedule['state'] }) {
  const can = useMay('endpoint.edit');
  const changes = ['listSchedules'] as const;
  const pause = useAction('pauseSchedule', { changes, doneMessage: () => `Schedule of ${endpoint} paused` });
  const resume = useAction('resumeSchedule', {
    changes,
    doneMessage: () => `Schedule of ${endpoint} resumed`,
  });
  const why = can.ok ? (state === 'ignored' ? IGNORED : undefined) : can.reason;
  const toggle = (isOn: boolean) => (isOn ? resume : pause).mutate({ parameters: { name: endpoint } });
  return (
    <Toggle
      label={`Schedule of ${endpoint}`}
      shown={STATE_WORDS[state]}
      isOn={state === 'active'}
      onChange={toggle}
      why={why}
    />
  );
}
