import { parseCron } from '@svc/core/schedule/cron';
import { cronWords } from '@svc/core/schedule/cron-words';
import { nextFires } from '@svc/core/schedule/fire-times';
import { TextField } from '../../design/form/TextField.tsx';
import { exactTime } from '../../design/time/time-words.ts';
import type { FieldScope } from './field-scope.ts';

/** A cron expression, explained while typing. */
export function ScheduleField({ scope }: { readonly scope: FieldScope }) {
  const { schedule } = scope.draft;
  return (
    <TextField
      label="Schedule"
      isCode
      value={schedule}
      onChange={(next) => scope.set('schedule', next)}
      problem={scope.problem('schedule')}
      hint={meaning(schedule)}
    />
  );
}

function meaning(schedule: string): string {
  if (schedule === '')
    return 'Minute, hour, day of month, month, day of week (UTC). Leave empty for no schedule.';
  const cron = parseCron(schedule);
  if (cron.kind === 'problem') return 'Minute, hour, day of month, month, day of week (UTC).';
  const [next] = nextFires(cron.fields, Date.now(), 1);
  return `Runs ${cronWords(cron.fields)}${next === undefined ? '' : `; next ${exactTime(next)}`}.`;
}
