import type { WireArgument } from '../wire-endpoint.ts';
import type { ArgumentDraft, EndpointDraft, TransformDraft } from './endpoint-draft.ts';

/** A definition with the names of svc.yaml; empty fields of the form are left out. */
export type Definition = Readonly<Record<string, unknown>>;

/** The definition that a form describes, for `checkDefinition` and for the body of a request. */
export function draftedDefinition(draft: EndpointDraft): Definition {
  return given({
    name: draft.name,
    command: draft.command,
    description: text(draft.description),
    tags: list(draft.tags),
    args: draft.args.length === 0 ? undefined : draft.args.map(argumentDefinition),
    method: text(draft.method),
    agent_name: text(draft.agent_name),
    timeout: number(draft.timeout),
    max_concurrent: number(draft.max_concurrent),
    on_disconnect: draft.on_disconnect === 'continue' ? undefined : draft.on_disconnect,
    cwd: text(draft.cwd),
    env:
      draft.env.length === 0
        ? undefined
        : Object.fromEntries(draft.env.map(({ name, value }) => [name, value])),
    accepts_env: list(draft.accepts_env),
    schedule: text(draft.schedule),
    public: draft.public || undefined,
    ...approval(draft),
    callback_url: text(draft.callback_url),
    transform: draft.transform.parse === '' ? undefined : transformDefinition(draft.transform),
  });
}

/** The approval settings; none when approval is not required. */
function approval(draft: EndpointDraft): Definition {
  if (!draft.approval_required) return {};
  return {
    approval_required: true,
    approval: draft.approval,
    approval_timeout_mins: number(draft.approval_timeout_mins),
    approvers: list(draft.approvers),
    allow_self: draft.allow_self ? undefined : false,
  };
}

function argumentDefinition(draft: ArgumentDraft): Definition {
  const isList = draft.type === 'list';
  const type = isList ? draft.items : draft.type;
  return given({
    ...draft.more,
    name: draft.name,
    type: draft.type === '' ? undefined : draft.type,
    required: draft.required || undefined,
    default: draft.default,
    description: text(draft.description),
    items: isList ? draft.items : undefined,
    each: isList && draft.each ? true : undefined,
    max_items: isList ? number(draft.max_items) : undefined,
    schema: draft.type === 'json' ? json(draft.schema) : undefined,
    choices: type === 'enum' ? lines(draft.choices) : undefined,
    pattern: text(draft.pattern),
    root: type === 'path' ? text(draft.root) : undefined,
    schemes: type === 'url' ? list(draft.schemes) : undefined,
    hosts: type === 'url' ? list(draft.hosts) : undefined,
    max_length: number(draft.max_length),
    secret: draft.secret || undefined,
    allow_dash: draft.allow_dash || undefined,
  });
}

function transformDefinition(draft: TransformDraft): Definition {
  return given({
    ...draft.more,
    parse: draft.parse,
    pattern: draft.parse === 'regex' ? text(draft.pattern) : undefined,
    select: text(draft.select),
    on_error: draft.on_error === 'fail' ? undefined : draft.on_error,
  });
}

function given(fields: Definition): Definition {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function text(value: string): string | undefined {
  return value === '' ? undefined : value;
}

/** Keeps a text that is not a number: the check then names the accepted values. */
function number(value: string): number | string | undefined {
  const trimmed = value.trim();
  if (trimmed === '') return undefined;
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : value;
}

/** Keeps a text that is no JSON: the check then names what is accepted. */
function json(value: string): unknown {
  if (value.trim() === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function lines(value: string): string[] | undefined {
  const items = value.split('\n').filter((line) => line !== '');
  return items.length === 0 ? undefined : items;
}

/** The items between commas or white space. */
function list(value: string): string[] | undefined {
  const items = value.split(/[\s,]+/).filter((one) => one !== '');
  return items.length === 0 ? undefined : items;
}

/** The changed fields for the request; null for removed ones. */
export function changesBetween(before: Definition, after: Definition): Definition {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name] ?? null]),
  );
}

/** The named arguments of a form, for the preview of its command. */
export function draftedArguments(args: readonly ArgumentDraft[]): WireArgument[] {
  return args
    .filter(({ name }) => name !== '')
    .map(({ name, type, required, secret, allow_dash, items, each }) => ({
      name,
      type: type === '' ? 'text' : type,
      inferred: type === '',
      required,
      secret,
      allow_dash,
      ...(type === 'list' ? { items, each } : {}),
    }));
}
