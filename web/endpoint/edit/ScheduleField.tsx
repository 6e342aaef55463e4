import { parseCron } from '@svc/core/schedule/cron';
import { cronWords } from '@svc/core/schedule/cron-words';
import { nextFires } from '@svc/core/schedule/fire-times';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { LocalTime, Time } from '../../design/time/Time.tsx';
import { localTime } from '../../design/time/time-words.ts';
import { type CronChoice, choiceOf, expressionOf, FIRST_CHOICE, MINUTE_STEPS } from './cron-choice.ts';
import type { FieldScope } from './field-scope.ts';

const KINDS = [
  { value: 'none', label: 'Never' },
  { value: 'minutes', label: 'Every few minutes' },
  { value: 'hourly', label: 'Every hour' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every week' },
  { value: 'monthly', label: 'Every month' },
  { value: 'custom', label: 'Cron expression' },
] as const satisfies readonly { readonly value: CronChoice['kind']; readonly label: string }[];

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'].map(
  (label, value) => ({ value: String(value), label }),
);
const STEPS = MINUTE_STEPS.map((value) => ({
  value: String(value),
  label: value === 1 ? '1 minute' : `${value} minutes`,
}));

/** A schedule: put together from choices or typed as a cron expression, with its next runs. */
export function ScheduleField({ scope }: { readonly scope: FieldScope }) {
  const { schedule } = scope.draft;
  const choice = choiceOf(schedule);
  const choose = (next: CronChoice) => {
    const expression = expressionOf(next);
    if (expression !== undefined) scope.set('schedule', expression);
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Repeat"
          options={KINDS}
          value={choice.kind}
          onChange={(kind) => choose(FIRST_CHOICE[kind])}
        />
        <Details choice={choice} onChange={choose} />
      </div>
      <TextField
        label="Schedule"
        isCode
        value={schedule}
        onChange={(next) => scope.set('schedule', next)}
        problem={scope.problem('schedule')}
        hint={meaning(schedule)}
      />
      <NextRuns schedule={schedule} />
    </div>
  );
}

interface DetailsProps {
  readonly choice: CronChoice;
  readonly onChange: (choice: CronChoice) => void;
}

/** The fields of a kind of schedule. */
function Details({ choice, onChange }: DetailsProps) {
  switch (choice.kind) {
    case 'none':
    case 'custom':
      return null;
    case 'minutes':
      return (
        <Select
          label="Every"
          options={STEPS}
          value={String(choice.every)}
          onChange={(every) => onChange({ ...choice, every: Number(every) })}
        />
      );
    case 'hourly':
      return (
        <TextField
          label="Minute"
          value={String(choice.minute)}
          onChange={(minute) => /^[0-5]?\d$/.test(minute) && onChange({ ...choice, minute: Number(minute) })}
          input={{ type: 'number', min: 0, max: 59 }}
        />
      );
    case 'daily':
      return <TimeField choice={choice} onChange={onChange} />;
    case 'weekly':
      return (
        <div className="grid grid-cols-2 gap-3">
          <Select
            label="On"
            options={WEEKDAYS}
            value={String(choice.weekday)}
            onChange={(weekday) => onChange({ ...choice, weekday: Number(weekday) })}
          />
          <TimeField choice={choice} onChange={onChange} />
        </div>
      );
    case 'monthly':
      return (
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Day of month"
            value={String(choice.day)}
            onChange={(day) =>
              /^(?:[1-9]|[12]\d|3[01])$/.test(day) && onChange({ ...choice, day: Number(day) })
            }
            input={{ type: 'number', min: 1, max: 31 }}
          />
          <TimeField choice={choice} onChange={onChange} />
        </div>
      );
  }
}

interface TimeFieldProps {
  readonly choice: Extract<CronChoice, { readonly time: string }>;
  readonly onChange: (choice: CronChoice) => void;
}

function TimeField({ choice, onChange }: TimeFieldProps) {
  return (
    <TextField
      label="At (UTC)"
      value={choice.time}
      onChange={(time) => /^\d\d:\d\d$/.test(time) && onChange({ ...choice, time })}
      input={{ type: 'time' }}
    />
  );
}

const PREVIEWED = 3;

/** The next runs in the time zone of the browser. */
function NextRuns({ schedule }: { readonly schedule: string }) {
  const cron = parseCron(schedule);
  if (schedule === '' || cron.kind === 'problem') return null;
  return (
    <ol aria-label="Next runs" className="flex flex-wrap gap-x-6 gap-y-1 text-sm text-soft">
      {nextFires(cron.fields, Date.now(), PREVIEWED).map((atMs) => {
        const at = new Date(atMs).toISOString();
        return (
          <li key={atMs}>
            <LocalTime at={at} /> (<Time at={at} />)
          </li>
        );
      })}
    </ol>
  );
}

function meaning(schedule: string): string {
  if (schedule === '')
    return 'Minute, hour, day of month, month, day of week (UTC). Leave empty for no schedule.';
  const cron = parseCron(schedule);
  if (cron.kind === 'problem') return 'Minute, hour, day of month, month, day of week (UTC).';
  const [next] = nextFires(cron.fields, Date.now(), 1);
  return `Runs ${cronWords(cron.fields)}${next === undefined ? '' : `; next ${localTime(next)}`}.`;
}
