/** A schedule as a person would say it. */
export type CronChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'minutes'; readonly every: number }
  | { readonly kind: 'hourly'; readonly minute: number }
  | { readonly kind: 'daily'; readonly time: string }
  | { readonly kind: 'weekly'; readonly weekday: number; readonly time: string }
  | { readonly kind: 'monthly'; readonly day: number; readonly time: string }
  | { readonly kind: 'custom' };

/** The steps that divide an hour. */
export const MINUTE_STEPS = [1, 2, 5, 10, 15, 20, 30] as const;

const NUMBER = /^\d{1,2}$/;

/** The choice that a cron expression stands for; `custom` where none does. */
export function choiceOf(expression: string): CronChoice {
  const text = expression.trim();
  if (text === '') return { kind: 'none' };
  const [minute = '', hour = '', day = '', month, weekday = '', ...more] = text.split(/\s+/);
  if (month !== '*' || more.length > 0) return { kind: 'custom' };
  const step = minute === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(minute)?.[1] ?? Number.NaN);
  const rest = [hour, day, weekday].map((field) => (field === '*' ? '*' : NUMBER.test(field) ? 'n' : '?'));
  if ((MINUTE_STEPS as readonly number[]).includes(step))
    return rest.join('') === '***' ? { kind: 'minutes', every: step } : { kind: 'custom' };
  if (!NUMBER.test(minute)) return { kind: 'custom' };
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  switch (rest.join('')) {
    case '***':
      return { kind: 'hourly', minute: Number(minute) };
    case 'n**':
      return { kind: 'daily', time };
    case 'n*n':
      return { kind: 'weekly', weekday: Number(weekday) % 7, time };
    case 'nn*':
      return { kind: 'monthly', day: Number(day), time };
    default:
      return { kind: 'custom' };
  }
}

/** The cron expression of a choice; undefined: the choice has none of its own. */
export function expressionOf(choice: CronChoice): string | undefined {
  switch (choice.kind) {
    case 'none':
      return '';
    case 'minutes':
      return choice.every === 1 ? '* * * * *' : `*/${choice.every} * * * *`;
    case 'hourly':
      return `${choice.minute} * * * *`;
    case 'daily':
      return `${timeFields(choice.time)} * * *`;
    case 'weekly':
      return `${timeFields(choice.time)} * * ${choice.weekday}`;
    case 'monthly':
      return `${timeFields(choice.time)} ${choice.day} * *`;
    case 'custom':
      return undefined;
  }
}

function timeFields(time: string): string {
  const [hour = '0', minute = '0'] = time.split(':');
  return `${Number(minute)} ${Number(hour)}`;
}

/** The first choice of each kind, when a person selects it. */
export const FIRST_CHOICE = {
  none: { kind: 'none' },
  minutes: { kind: 'minutes', every: 15 },
  hourly: { kind: 'hourly', minute: 0 },
  daily: { kind: 'daily', time: '03:00' },
  weekly: { kind: 'weekly', weekday: 1, time: '03:00' },
  monthly: { kind: 'monthly', day: 1, time: '03:00' },
  custom: { kind: 'custom' },
} as const satisfies Record<CronChoice['kind'], CronChoice>;
