import type { z } from 'zod';
import type { DeclaredAlert } from '../../alert/declared-alert.ts';
import type {
  Argument,
  ArgumentType,
  DeclaredArgument,
  Endpoint,
  ItemType,
} from '../../endpoint/definition.ts';
import { isRequiredFile } from '../../endpoint/file-arguments.ts';
import { withoutUnknownCallers } from '../../endpoint/four-eyes.ts';
import type { Program } from '../../endpoint/program.ts';
import { listText } from '../../endpoint/value/list.ts';
import type { Transform } from '../../execution/transform/transform.ts';
import type { Path } from '../validation-issue.ts';
import { type AlertDefinition, alertSchema } from './alert-schema.ts';
import { type ArgumentDefinition, argumentSchema } from './argument-schema.ts';
import { type EndpointDefinition, endpointSchema, transformSchema } from './schema.ts';
import { type TextAt, writtenText } from './written-text.ts';

// The two forms of an endpoint, translated here and nowhere else. The wire form has the keys of svc.yaml; files, the API
// and frames use it. The domain form is `Endpoint`. A key of the wire is a field of the domain in camel case
// (`max_concurrent`, `maxConcurrent`), or what a table below says.

const ENDPOINT_NAMES = namesOf(endpointSchema, {
  name: 'slug',
  timeout: 'timeoutSec',
  max_stdin: 'maxStdinBytes',
}) satisfies Record<string, keyof Endpoint>;
const ARGUMENT_NAMES = namesOf(argumentSchema, { choices_ttl: 'choicesTtlSec' }) satisfies Record<
  string,
  keyof Argument
>;
const ALERT_NAMES = namesOf(alertSchema, {}) satisfies Record<string, keyof DeclaredAlert>;
const TRANSFORM_NAMES = namesOf(transformSchema, {}) satisfies Record<string, keyof Transform>;

/** What the check of a definition computed, and where the definition is written. */
export interface TranslatedDefinition {
  readonly args: readonly Argument[];
  readonly program: Program;
  readonly path: Path;
  readonly textAt: TextAt;
}

/** The domain form of a checked endpoint. */
export function decodeEndpoint(
  { env, transform, alerts, ...definition }: EndpointDefinition,
  { args, program, path, textAt }: TranslatedDefinition,
): Endpoint {
  const variables = Object.entries(env).map(([name, value]) => [
    name,
    writtenText(value, [...path, 'env', name], textAt),
  ]);
  return withoutUnknownCallers({
    // A body comes with a POST.
    ...(definition.stdin === undefined && !args.some(isRequiredFile) ? {} : { method: 'POST' as const }),
    ...toDomain(definition, ENDPOINT_NAMES),
    program,
    args,
    env: Object.fromEntries(variables) as Record<string, string>,
    ...(transform && { transform: toDomain(transform, TRANSFORM_NAMES) }),
    ...(alerts && { alerts: alerts.map(decodeAlert) }),
  });
}

/**
 * The wire form of an endpoint; a key that the endpoint does not have is undefined. Its alerts are not a part of it
 * (decision 70, alert rules in a file).
 */
export function encodeEndpoint(endpoint: Endpoint) {
  const { args, transform } = endpoint;
  const { alerts: _apart, ...plain } = toWire(endpoint, ENDPOINT_NAMES);
  return {
    ...plain,
    args: args.map(encodeArgument),
    transform: transform && toWire(transform, TRANSFORM_NAMES),
  };
}

export function decodeAlert(alert: AlertDefinition): DeclaredAlert {
  return toDomain(alert, ALERT_NAMES);
}

export function encodeAlert(alert: DeclaredAlert) {
  return toWire(alert, ALERT_NAMES);
}

/** The domain form of the argument at `path`, from the keys of its definition that have the right shape. */
export function decodeArgument(
  { default: absent, choices, choices_args: sources, type, items, ...parts }: Partial<ArgumentDefinition>,
  name: string,
  path: Path,
  textAt: TextAt,
): DeclaredArgument {
  const known = declaredType({ type, choices, pattern: parts.pattern });
  return {
    required: false,
    secret: false,
    allowDash: false,
    ...toDomain(parts, ARGUMENT_NAMES),
    name,
    type: known,
    ...itemsOf(known, { items, choices, pattern: parts.pattern }),
    ...(choices && {
      choices: choices.map((choice, index) => writtenText(choice, [...path, 'choices', index], textAt)),
    }),
    ...(sources && {
      choicesArgs: Object.fromEntries(
        Object.entries(sources).map(([key, value]) => [
          key,
          writtenText(value, [...path, 'choices_args', key], textAt),
        ]),
      ),
    }),
    ...(absent !== undefined && { default: defaultText(absent, [...path, 'default'], textAt) }),
  };
}

/** The wire form of an argument, with its type also where the compiler chose it. */
export function encodeArgument(argument: Argument) {
  return toWire(argument, ARGUMENT_NAMES);
}

/** The key of svc.yaml for a field of an argument. */
export function argumentKey(field: keyof Argument): string {
  return Object.entries(ARGUMENT_NAMES).find(([, name]) => name === field)?.[0] ?? field;
}

/** A list is kept as the JSON text of its items, like a list of a call (decision 67, lists and JSON values). */
function defaultText(value: NonNullable<ArgumentDefinition['default']>, path: Path, textAt: TextAt): string {
  if (!Array.isArray(value)) return writtenText(value, path, textAt);
  return listText(value.map((item, index) => writtenText(item, [...path, index], textAt)));
}

type WrittenItems = { readonly [Key in 'items' | 'choices' | 'pattern']: ArgumentDefinition[Key] };

/** The type of the items of a list: the written one, or what follows from the other keys. Nothing is inferred from the command. */
function itemsOf(
  type: ArgumentType | undefined,
  { items, choices, pattern }: WrittenItems,
): { readonly items?: ItemType } {
  if (items !== undefined) return { items };
  if (type !== 'list') return {};
  if (choices !== undefined) return { items: 'enum' };
  return { items: pattern === undefined ? 'word' : 'text' };
}

/** The type that the owner gave. A pattern says what a value may be, so nothing is left to infer (decision 57, values by type). */
function declaredType({
  type,
  choices,
  pattern,
}: {
  readonly [Key in 'type' | 'choices' | 'pattern']: ArgumentDefinition[Key];
}): ArgumentType | undefined {
  if (type !== undefined && type !== 'string') return type;
  if (choices !== undefined) return 'enum';
  return pattern === undefined ? undefined : 'text';
}

type CamelCase<Key> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Key;
type DomainName<Key, Renamed> = Key extends keyof Renamed ? Renamed[Key] : CamelCase<Key>;
type Names = Readonly<Record<string, string>>;

function namesOf<Shape extends z.ZodRawShape, const Renamed extends Names>(
  { shape }: z.ZodObject<Shape>,
  renamed: Renamed,
): { readonly [Key in keyof Shape]: DomainName<Key, Renamed> } {
  const names = Object.keys(shape).map((key) => [key, renamed[key] ?? camelCase(key)]);
  return Object.fromEntries(names) as { readonly [Key in keyof Shape]: DomainName<Key, Renamed> };
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** The domain's names for the keys that have a value. */
function toDomain<Wire extends object, Table extends Readonly<Record<keyof Wire, string>>>(
  wire: Wire,
  names: Table,
): { [Key in keyof Wire as Table[Key & keyof Table]]: Exclude<Wire[Key], undefined> } {
  const entries = Object.entries(wire).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [names[key as keyof Table], value])) as ReturnType<
    typeof toDomain<Wire, Table>
  >;
}

/** All keys of the wire, with the values of a domain object. */
function toWire<Domain extends object, const Table extends Readonly<Record<string, keyof Domain>>>(
  domain: Domain,
  names: Table,
): { readonly [Key in keyof Table]: Domain[Table[Key]] } {
  const entries = Object.entries(names).map(([key, name]) => [key, domain[name as keyof Domain]]);
  return Object.fromEntries(entries) as { readonly [Key in keyof Table]: Domain[Table[Key]] };
}
