import type { Argument, Endpoint } from '../endpoint/definition.ts';
import { valueFinder } from '../endpoint/find-value.ts';
import { passedValue } from '../endpoint/value/check-value.ts';
import { visibleText } from '../text/visible-text.ts';
import { clippedValue } from './clipped-value.ts';

/** A part of a command as people see it before it runs. */
export type CommandPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string; readonly text: string }
  /** A secret value or a managed secret, shown by its name. */
  | { readonly kind: 'secret'; readonly name: string }
  /** An optional argument without a value. */
  | { readonly kind: 'absent'; readonly name: string };

/** The values of a pending call. Values of secret arguments are null. */
export type RecordedValues = Readonly<Record<string, string | null>>;

/**
 * The command line of an endpoint with its values in their places, complete and unchanged (decision 35, an approval is
 * frozen).
 */
export function shownCommand(
  { command, args }: Pick<Endpoint, 'command' | 'args'>,
  values: RecordedValues,
): CommandPart[] {
  const declared = new Map(args.map((argument) => [argument.name, argument]));
  const findValue = valueFinder(new Set(declared.keys()));
  const parts: CommandPart[] = [];
  let run = '';
  for (let at = 0; at < command.length; ) {
    const found = findValue(command, at);
    if (found === undefined) {
      run += command.charAt(at);
      at += 1;
      continue;
    }
    if (run !== '') parts.push({ kind: 'text', text: run });
    run = '';
    const argument = found.kind === 'argument' ? declared.get(found.name) : undefined;
    parts.push(argument === undefined ? { kind: 'secret', name: found.name } : shownValue(argument, values));
    at += found.length;
  }
  return run === '' ? parts : [...parts, { kind: 'text', text: run }];
}

/** Every argument with the value that the command gets, in the order of the definition. */
export function shownValues(
  { args }: Pick<Endpoint, 'args'>,
  values: RecordedValues,
): Exclude<CommandPart, { kind: 'text' }>[] {
  return args.map((argument) => shownValue(argument, values));
}

function shownValue(argument: Argument, values: RecordedValues): Exclude<CommandPart, { kind: 'text' }> {
  const { name, secret, default: fallback } = argument;
  const given = Object.hasOwn(values, name) ? values[name] : fallback;
  if (given === undefined) return { kind: 'absent', name };
  if (secret || given === null) return { kind: 'secret', name };
  // The value that the command gets, which can differ from the given one: a URL is normalised (decision 57, values by type).
  return { kind: 'value', name, text: passedValue(argument, given) };
}

/**
 * The command in one line of plain text, for lists, mails and chats. Invisible characters are marked, long values are cut.
 */
export function commandText(parts: readonly CommandPart[]): string {
  return parts.map(partText).join('');
}

function partText(part: CommandPart): string {
  switch (part.kind) {
    case 'text':
      return visibleText(part.text);
    case 'value': {
      const clipped = clippedValue(part.text);
      if (clipped.kind === 'whole') return visibleText(clipped.text);
      const { head, left, tail } = clipped;
      return `${visibleText(head)}‹${left} characters more›${visibleText(tail)}`;
    }
    case 'secret':
      return `‹secret ${part.name}›`;
    case 'absent':
      return '';
  }
}
