import type { WireArgument, WireEndpoint } from '../wire-endpoint.ts';

/** An argument in the form: every field is text, also one that must become a number. */
export interface ArgumentDraft {
  readonly name: string;
  /** Empty: svc infers the type from the place in the command. */
  readonly type: WireArgument['type'] | '';
  readonly required: boolean;
  /** Undefined: no default; the empty string is a default like any other. */
  readonly default: string | undefined;
  readonly description: string;
  /** One per line. */
  readonly choices: string;
  readonly pattern: string;
  readonly root: string;
  /** Separated by commas or white space, like `hosts`. */
  readonly schemes: string;
  readonly hosts: string;
  readonly max_length: string;
  /** For a list: the type of each item, whether the word before is repeated, the most items. */
  readonly items: NonNullable<WireArgument['items']>;
  readonly each: boolean;
  readonly max_items: string;
  /** For a JSON value: its JSON Schema as JSON text. */
  readonly schema: string;
  readonly secret: boolean;
  readonly allow_dash: boolean;
  /** The keys that the form has no field for, and keeps. */
  readonly more: Pick<WireArgument, 'choices_from' | 'choices_args' | 'choices_ttl' | 'choices_check'>;
}

export interface VariableDraft {
  readonly name: string;
  readonly value: string;
}

/** An endpoint in the form. Fields have the names of svc.yaml, so that each problem finds its field. */
export interface EndpointDraft {
  readonly name: string;
  readonly description: string;
  /** Separated by spaces or commas. */
  readonly tags: string;
  readonly command: string;
  readonly args: readonly ArgumentDraft[];
  readonly method: '' | 'GET' | 'POST';
  readonly agent_name: string;
  readonly timeout: string;
  readonly max_concurrent: string;
  readonly on_disconnect: WireEndpoint['on_disconnect'];
  readonly cwd: string;
  readonly env: readonly VariableDraft[];
  /** Names, separated by spaces or commas. */
  readonly accepts_env: string;
  readonly schedule: string;
  readonly public: boolean;
  readonly approval_required: boolean;
  readonly approval: 'passkey' | undefined;
  readonly approval_timeout_mins: string;
  /** Roles and addresses, separated by commas or lines. */
  readonly approvers: string;
  readonly allow_self: boolean;
  readonly callback_url: string;
  readonly transform: TransformDraft;
}

export interface TransformDraft {
  readonly parse: string;
  readonly pattern: string;
  readonly select: string;
  readonly on_error: 'fail' | 'raw';
  /** The other keys, which the form has no field for and keeps while the kind stays the same. */
  readonly more: Omit<NonNullable<WireEndpoint['transform']>, 'parse' | 'pattern' | 'select' | 'on_error'>;
}

export const NEW_ARGUMENT: ArgumentDraft = {
  name: '',
  type: '',
  required: false,
  default: undefined,
  description: '',
  choices: '',
  pattern: '',
  root: '',
  schemes: '',
  hosts: '',
  max_length: '',
  items: 'word',
  each: false,
  max_items: '',
  schema: '',
  secret: false,
  allow_dash: false,
  more: {},
};

export const NEW_ENDPOINT: EndpointDraft = {
  name: '',
  description: '',
  tags: '',
  command: '',
  args: [],
  method: '',
  agent_name: '',
  timeout: '',
  max_concurrent: '',
  on_disconnect: 'continue',
  cwd: '',
  env: [],
  accepts_env: '',
  schedule: '',
  public: false,
  approval_required: false,
  approval: undefined,
  approval_timeout_mins: '',
  approvers: '',
  allow_self: true,
  callback_url: '',
  transform: { parse: '', pattern: '', select: '', on_error: 'fail', more: {} },
};

/** The form content of an existing endpoint. */
export function endpointDraftOf(endpoint: WireEndpoint): EndpointDraft {
  const { transform } = endpoint;
  return {
    name: endpoint.slug,
    description: endpoint.description ?? '',
    tags: endpoint.tags?.join(' ') ?? '',
    command: endpoint.command,
    args: endpoint.args.map(argumentDraft),
    method: endpoint.method ?? '',
    agent_name: endpoint.agent_name,
    timeout: String(endpoint.timeout),
    max_concurrent: numberText(endpoint.max_concurrent),
    on_disconnect: endpoint.on_disconnect,
    cwd: endpoint.cwd ?? '',
    env: Object.entries(endpoint.env).map(([name, value]) => ({ name, value })),
    accepts_env: endpoint.accepts_env.join(' '),
    schedule: endpoint.schedule ?? '',
    public: endpoint.public,
    approval_required: endpoint.approval_required,
    approval: endpoint.approval ?? undefined,
    approval_timeout_mins: String(endpoint.approval_timeout_mins),
    approvers: endpoint.approvers?.join(', ') ?? '',
    allow_self: endpoint.allow_self,
    callback_url: endpoint.callback_url ?? '',
    transform: transformDraft(transform),
  };
}

function transformDraft(transform: WireEndpoint['transform']): TransformDraft {
  const { parse = '', pattern = '', select = '', on_error = 'fail', ...more } = transform ?? {};
  return { parse, pattern, select, on_error, more };
}

function argumentDraft(argument: WireArgument): ArgumentDraft {
  const { choices_from, choices_args, choices_ttl, choices_check } = argument;
  return {
    name: argument.name,
    type: argument.inferred ? '' : argument.type,
    required: argument.required,
    default: argument.default,
    description: argument.description ?? '',
    choices: argument.choices?.join('\n') ?? '',
    pattern: argument.pattern ?? '',
    root: argument.root ?? '',
    schemes: argument.schemes?.join(', ') ?? '',
    hosts: argument.hosts?.join(', ') ?? '',
    max_length: numberText(argument.max_length),
    items: argument.items ?? 'word',
    each: argument.each ?? false,
    max_items: numberText(argument.max_items),
    schema: argument.schema === undefined ? '' : JSON.stringify(argument.schema, null, 2),
    secret: argument.secret,
    allow_dash: argument.allow_dash,
    more: { choices_from, choices_args, choices_ttl, choices_check },
  };
}

function numberText(value: number | null | undefined): string {
  return value == null ? '' : String(value);
}
