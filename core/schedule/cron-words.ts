import type { CronFields } from './cron.ts';

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const MINUTES = { first: 0, size: 60 };
const HOURS = { first: 0, size: 24 };
/** The limit of times of day that are listed one by one. */
const MAX_TIMES = 6;

/**
 * A cron expression in words, such as "at 03:00 and 15:30 on Mondays, UTC". Expressions with the same meaning have the same
 * words.
 */
export function cronWords(cron: CronFields): string {
  const parts = [timeWords(cron), dayWords(cron), monthWords(cron)].filter((part) => part !== '');
  return `${parts.join(' ')}, UTC`;
}

function timeWords({ hours, minutes }: CronFields): string {
  if (hours.length * minutes.length <= MAX_TIMES && hours.length < HOURS.size)
    return `at ${list(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute))))}`;
  const isEvery = stepOf(minutes, MINUTES) !== undefined;
  const hourly = hours.length < HOURS.size ? ` ${hourWords(hours)}` : isEvery ? '' : ' of every hour';
  return `${minuteWords(minutes)}${hourly}`;
}

function minuteWords(minutes: readonly number[]): string {
  const step = stepOf(minutes, MINUTES);
  if (step === 1) return 'every minute';
  if (step !== undefined) return `every ${step} minutes`;
  return `at ${minutes.length === 1 ? 'minute' : 'minutes'} ${list(runs(minutes, String))}`;
}

function hourWords(hours: readonly number[]): string {
  const step = stepOf(hours, HOURS);
  if (step !== undefined) return `of every ${ordinal(step)} hour from 00:00`;
  return `of the ${hours.length === 1 ? 'hour' : 'hours'} ${list(runs(hours, String))}`;
}

/** Empty if the expression runs on every day. */
function dayWords({ daysOfMonth, daysOfWeek, dayRule, hours }: CronFields): string {
  const month = daysOfMonth.length === 31 ? '' : monthDays(daysOfMonth);
  const week = daysOfWeek.length === 7 ? '' : weekDays(daysOfWeek);
  if (dayRule === 'either') return everyDay(month === '' || week === '' ? '' : `${month} and ${week}`, hours);
  if (month === '' || week === '') return everyDay(month + week, hours);
  return `${week} that are also ${month.replace(/^on /, '')}`;
}

function everyDay(days: string, hours: readonly number[]): string {
  return days === '' && hours.length < HOURS.size ? 'every day' : days;
}

function monthDays(days: readonly number[]): string {
  return `on ${days.length === 1 ? 'day' : 'days'} ${list(runs(days, String))} of the month`;
}

function weekDays(days: readonly number[]): string {
  return `on ${list(runs(days, (day) => `${DAY_NAMES[day]}s`))}`;
}

function monthWords({ months }: CronFields): string {
  return months.length === 12 ? '' : `in ${list(runs(months, (month) => MONTH_NAMES[month - 1] ?? ''))}`;
}

/** The step n of a field that consists of every n-th value and wraps evenly. */
function stepOf(
  values: readonly number[],
  { first, size }: { first: number; size: number },
): number | undefined {
  const step = size / values.length;
  const isEven = Number.isInteger(step) && values.every((value, index) => value === first + index * step);
  return isEven && values.length > 1 ? step : undefined;
}

/** Formats three and more consecutive values as a range. */
function runs(values: readonly number[], word: (value: number) => string): string[] {
  const words: string[] = [];
  for (let from = 0; from < values.length; ) {
    let to = from;
    while (values[to + 1] === (values[to] ?? 0) + 1) to += 1;
    const run = values.slice(from, to + 1).map(word);
    words.push(...(run.length > 2 ? [`${run[0]} to ${run.at(-1)}`] : run));
    from = to + 1;
  }
  return words;
}

function list(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function ordinal(count: number): string {
  return { 2: '2nd', 3: '3rd' }[count] ?? `${count}th`;
}
