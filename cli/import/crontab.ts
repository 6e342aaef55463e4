import { CRON_MACROS, parseCron } from '@svc/core/schedule/cron';
import { type Imported, type ImportedEntry, type LeftOut, Slugs } from './imported.ts';

/** Where the times of a crontab are read, for the note about UTC. */
export interface CrontabOptions {
  /** The lines have the user in the sixth column, as in `/etc/crontab`. */
  readonly hasUser: boolean;
  /** The time zone of this machine, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** cron has no time limit; this is the longest that svc has. */
const LONGEST_TIMEOUT = 86_400;
/** Words before the program that a person means. */
const WRAPPERS =
  /^(?:sudo|nice|ionice|chronic|env|exec|nohup|cd|test|\[|(?:ba|da|z)?sh|command|-.*|.*=.*|&&|\|\||.*;)$/;
const VARIABLE = /^\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z_]\w*))\s*=\s*(.*?)\s*$/;
/** The comment above the columns, in the files of most systems. */
const HEADING = /^m\s+h\s+dom\b/;
/** Variables that cron itself reads, and those that an endpoint cannot set. */
const OF_CRON: Readonly<Record<string, string>> = {
  MAILTO:
    'MAILTO: svc sends no output by mail; an alert rule tells people about failures (docs/guides/alerts.md).',
  MAILFROM: 'MAILFROM has no counterpart.',
  SHELL: 'SHELL: commands run with /bin/sh; write bash -c where a command needs another shell.',
  PATH: 'PATH: endpoints cannot set it; commands get the PATH of the agent. Write programs with their whole path.',
  LOGNAME: 'LOGNAME: commands run as the user of the agent.',
  USER: 'USER: commands run as the user of the agent.',
  CRON_TZ: 'CRON_TZ: schedules are in UTC; change their hours.',
  TZ: 'TZ: schedules are in UTC; change their hours.',
  RANDOM_DELAY: 'RANDOM_DELAY has no counterpart.',
};

/** Reads a crontab (crontab(5)): each command becomes an endpoint with a schedule. */
export function importCrontab(text: string, { hasUser, timeZone }: CrontabOptions): Imported {
  const slugs = new Slugs();
  const entries: ImportedEntry[] = [];
  const leftOut: LeftOut[] = [];
  const notes = new Set<string>([
    'cron starts commands in the home folder of their user, svc in the folder of this file: `cwd` changes that.',
  ]);
  let env: Readonly<Record<string, string>> = {};
  let description = '';
  for (const line of text.split(/\r?\n/)) {
    const commented = /^\s*#+\s*(.*?)\s*$/.exec(line);
    const variable = VARIABLE.exec(line);
    if (commented !== null || line.trim() === '') {
      const said = commented?.[1] ?? '';
      description = HEADING.test(said) ? '' : said;
    } else if (variable !== null) {
      const name = variable[1] ?? variable[2] ?? variable[3] ?? '';
      const value = unquoted(variable[4] ?? '');
      const note = OF_CRON[name];
      if (note === undefined) env = { ...env, [name]: value };
      else notes.add(note);
    } else {
      const entry = readLine(line, { hasUser, env, description, slugs });
      if ('reason' in entry) leftOut.push(entry);
      else entries.push(entry);
      description = '';
    }
  }
  if (entries.some(({ endpoint }) => endpoint.schedule !== undefined) && !isUtc(timeZone))
    notes.add(
      `cron reads times in the time zone of the machine (${timeZone}), svc in UTC: change the hours of the schedules.`,
    );
  return { entries, leftOut, notes: [...notes] };
}

interface LineContext {
  readonly hasUser: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly description: string;
  readonly slugs: Slugs;
}

function readLine(line: string, { hasUser, env, description, slugs }: LineContext): ImportedEntry | LeftOut {
  const columns = hasUser ? String.raw`(\S+)\s+` : '()';
  const match = new RegExp(String.raw`^\s*(@\w+|(?:\S+\s+){4}\S+)\s+${columns}(.+)$`).exec(line);
  if (match === null)
    return { name: line.trim(), reason: `expected five times${hasUser ? ', a user' : ''} and a command` };
  const [, times = '', user = '', rest = ''] = match;
  const { command, input } = withoutPercent(rest);
  const schedule = scheduleOf(times);
  const notes = [
    ...(user === '' ? [] : [`cron runs it as ${user}. Here it runs as the user of the agent (--run-as).`]),
    ...(schedule.note === undefined ? [] : [schedule.note]),
    ...(input === undefined
      ? []
      : ['cron gives it the text after % as its input, which is a here-document here.']),
  ];
  return {
    endpoint: {
      name: slugs.next(nameOf(command)),
      ...(description === '' ? {} : { description }),
      command: input === undefined ? command : `${command} <<'END_OF_INPUT'\n${input}\nEND_OF_INPUT\n`,
      timeout: LONGEST_TIMEOUT,
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(schedule.cron === undefined ? {} : { schedule: schedule.cron }),
    },
    notes,
  };
}

interface Schedule {
  readonly cron?: string;
  readonly note?: string;
}

function scheduleOf(times: string): Schedule {
  if (times === '@reboot')
    return { note: 'cron runs it when the machine starts, which svc cannot: nothing runs it by itself.' };
  const cron = CRON_MACROS.get(times) ?? withNumbers(times);
  const parsed = parseCron(cron);
  if (parsed.kind === 'cron') return { cron };
  return { note: `Its times, "${times}", are not taken over: ${parsed.message}.` };
}

/** Names of months and days, and 7 for Sunday, as the numbers that svc reads. */
function withNumbers(times: string): string {
  const fields = times.trim().split(/\s+/);
  const named = (names: readonly string[], first: number) => (name: string) => {
    const index = names.indexOf(name.toLowerCase());
    return index < 0 ? name : String(index + first);
  };
  const month = fields[3]?.replaceAll(/[a-z]+/gi, named(MONTHS, 1));
  const day = fields[4]?.replaceAll(/[a-z]+/gi, named(DAYS, 0)).replaceAll(/(?<![\d/-])7(?!\d)/g, '0');
  return [...fields.slice(0, 3), month, day].join(' ');
}

/** The first `%` of a cron line ends the command, the others are line ends of its input; `\%` is a percent sign. */
function withoutPercent(text: string): { readonly command: string; readonly input?: string } {
  const [command = '', ...input] = text.split(/(?<!\\)%/).map((part) => part.replaceAll('\\%', '%'));
  return input.length === 0
    ? { command: command.trim() }
    : { command: command.trim(), input: input.join('\n') };
}

function nameOf(command: string): string {
  const words = command.split(/\s+/).filter((word) => !WRAPPERS.test(word));
  const [first = 'command'] = command.startsWith('cd ') ? words.slice(1) : words;
  return (first.split('/').at(-1) ?? first).replace(/\.\w{1,4}$/, '');
}

function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

function isUtc(timeZone: string): boolean {
  return /^(?:Etc\/)?(?:UTC|GMT|UCT|Zulu|Universal|Greenwich)$/.test(timeZone);
}
