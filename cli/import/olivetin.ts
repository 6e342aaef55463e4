import { CRON_MACROS, parseCron } from '@svc/core/schedule/cron';
import { Failure } from '../failure.ts';
import {
  argumentName,
  type Imported,
  type ImportedEntry,
  type LeftOut,
  quotedWord,
  Slugs,
} from './imported.ts';
import { listIn, readData, textIn, unknownKeysNote } from './read-data.ts';

type Keys = Readonly<Record<string, unknown>>;

const READ = ['title', 'id', 'shell', 'exec', 'timeout', 'maxConcurrent', 'arguments', 'execOnCron'];
const READ_OF_ARGUMENT = ['name', 'title', 'description', 'type', 'default', 'choices', 'rejectNull'];
/** OliveTin ends an action after this many seconds when its file sets nothing. */
const DEFAULT_TIMEOUT = 3;
/** Argument types as OliveTin checks them, and as its earlier versions did. */
const TYPES: Readonly<Record<string, Keys>> = {
  '': { pattern: '[a-zA-Z0-9 ,._-]+' },
  ascii: { pattern: '[a-zA-Z0-9]+' },
  ascii_identifier: { pattern: '[a-zA-Z0-9._-]+' },
  ascii_sentence: { pattern: '[a-zA-Z0-9 ,._-]+' },
  unicode_identifier: { pattern: String.raw`[\p{L}\p{N}/\\._ -]+` },
  shell_safe_identifier: { pattern: '[a-zA-Z0-9@._+-]+' },
  int: { type: 'integer' },
  email: { pattern: String.raw`[^@\s]+@[^@\s]+` },
  url: { type: 'url' },
  datetime: { pattern: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?` },
  checkbox: { choices: ['1', '0'] },
  password: { type: 'text', secret: true },
  very_dangerous_raw_string: { type: 'text' },
  raw_string_multiline: { type: 'text' },
};

/** Reads the `config.yaml` of OliveTin: each action becomes an endpoint. */
export function importOliveTin(text: string): Imported {
  const config = readData(text);
  const actions = listIn(config, 'actions');
  if (actions.length === 0) throw new Failure('the file has no actions');
  const slugs = new Slugs();
  const read = actions.map((action) => readAction(action, slugs));
  return {
    entries: read.filter((entry): entry is ImportedEntry => 'endpoint' in entry),
    leftOut: read.filter((entry): entry is LeftOut => 'reason' in entry),
    notes: [
      'OliveTin writes values into the text of a script; svc passes them beside it, so quotes around {{placeholders}} do not matter.',
      ...unknownKeysNote(config, ['actions']),
    ],
  };
}

function readAction(action: unknown, slugs: Slugs): ImportedEntry | LeftOut {
  const title = textIn(action, 'title') ?? textIn(action, 'id') ?? 'an action';
  const command = commandOf(action);
  if (command === undefined) return { name: title, reason: 'it has neither shell nor exec' };
  if (/\{\{[^}]*\.[^}]*\}\}/.test(command))
    return { name: title, reason: 'its command has values of entities, which svc does not have' };
  const inputs = listIn(action, 'arguments').filter(
    (one) => !['html', 'confirmation'].includes(textIn(one, 'type') ?? ''),
  );
  const read = inputs.map(readArgument);
  const schedules = schedulesOf(
    action,
    read.every(({ definition }) => definition.required !== true),
  );
  return {
    endpoint: {
      name: slugs.next(textIn(action, 'id') ?? title),
      description: title,
      command,
      ...(read.length === 0 ? {} : { args: read.map(({ definition }) => definition) }),
      timeout: Math.max(1, Math.ceil(Number(textIn(action, 'timeout') ?? DEFAULT_TIMEOUT))),
      ...(textIn(action, 'maxConcurrent') === undefined
        ? {}
        : { max_concurrent: Number(textIn(action, 'maxConcurrent')) }),
      ...(schedules.cron === undefined ? {} : { schedule: schedules.cron }),
    },
    notes: [...schedules.notes, ...read.flatMap(({ notes }) => notes), ...unknownKeysNote(action, READ)],
  };
}

function commandOf(action: unknown): string | undefined {
  const words = listIn(action, 'exec');
  const command =
    words.length > 0 ? words.map((word) => wordOf(String(word))).join(' ') : textIn(action, 'shell');
  return command?.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (_, name: string) => `{{${argumentName(name)}}}`);
}

function wordOf(word: string): string {
  return /^\{\{\s*[\w-]+\s*\}\}$/.test(word) ? word : quotedWord(word);
}

function readArgument(argument: unknown): { readonly definition: Keys; readonly notes: readonly string[] } {
  const name = textIn(argument, 'name') ?? '';
  const type = textIn(argument, 'type') ?? '';
  const [description, fallback] = [
    textIn(argument, 'description') ?? textIn(argument, 'title'),
    textIn(argument, 'default'),
  ];
  const choices = listIn(argument, 'choices');
  const values = choices.map((choice) => textIn(choice, 'value')).filter((value) => value !== undefined);
  const [, pattern] = /^regex:\^?(.*?)\$?$/.exec(type) ?? [];
  const accepted =
    values.length > 0 ? chosenFrom(values, type) : pattern === undefined ? TYPES[type] : { pattern };
  return {
    definition: {
      name: argumentName(name),
      ...(description === undefined ? {} : { description }),
      ...accepted,
      ...(fallback === undefined || fallback === '' ? { required: true } : { default: fallback }),
    },
    notes: [
      ...(accepted === undefined ? [`Argument ${name}: svc has no type "${type}".`] : []),
      ...(type === 'very_dangerous_raw_string'
        ? [`Argument ${name}: OliveTin runs it as a part of the script; here it is one piece of text.`]
        : []),
      ...(choices.length > values.length ? [`Argument ${name}: choices of entities are not imported.`] : []),
      ...unknownKeysNote(argument, READ_OF_ARGUMENT).map((note) => `Argument ${name}: ${note}`),
    ],
  };
}

/** A checklist takes several of its choices, separated by commas. */
function chosenFrom(choices: readonly string[], type: string): Keys {
  if (type !== 'checklist') return { choices };
  const one = `(?:${choices.map((choice) => choice.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`;
  return { pattern: `${one}(?:,${one})*` };
}

/** OliveTin takes several times, svc one, and only where every argument has a default. */
function schedulesOf(
  action: unknown,
  hasDefaults: boolean,
): { readonly cron?: string; readonly notes: readonly string[] } {
  const times = listIn(action, 'execOnCron').map(String);
  if (times.length > 0 && !hasDefaults)
    return { notes: ['OliveTin runs it by the clock; a schedule needs a default for every argument.'] };
  const known = times.map((one) => CRON_MACROS.get(one) ?? one).find((one) => parseCron(one).kind === 'cron');
  const isOne = times.length === 1 && known !== undefined;
  return {
    ...(known === undefined ? {} : { cron: known }),
    notes: [
      ...(times.length === 0 || isOne
        ? []
        : [
            `OliveTin runs it at ${times.map((one) => `"${one}"`).join(' and ')}; an endpoint has one schedule.`,
          ]),
      ...(known === undefined ? [] : ['OliveTin reads times in the time zone of the machine, svc in UTC.']),
    ],
  };
}
