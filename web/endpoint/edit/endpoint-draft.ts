import type { WireArgument, WireEndpoint } from '../wire-endpoint.ts';

/** An argument as its form holds it: text in every field, also where it is no number yet. */
export interface ArgumentDraft {
  readonly name: string;
  /** Empty: svc chooses it by where the value goes in the command. */
  readonly type: WireArgument['type'] | '';
  readonly required: boolean;
  /** undefined: there is none; empty text is a default like any other. */
  readonly default: string | undefined;
  readonly description: string;
  /** One in each line. */
  readonly choices: string;
  readonly pattern: string;
  readonly root: string;
  /** Separated by commas or white space, like `hosts`. */
  readonly schemes: string;
  readonly hosts: string;
  readonly max_length: string;
  readonly secret: boolean;
  readonly allow_dash: boolean;
}

export interface VariableDraft {
  readonly name: string;
  readonly value: string;
}

/** An endpoint as its form holds it; fields have the names of svc.yaml, so that problems find theirs. */
export interface EndpointDraft {
  readonly name: string;
  readonly description: string;
  readonly command: string;
  readonly args: readonly ArgumentDraft[];
  readonly method: '' | 'GET' | 'POST';
  readonly agent_name: string;
  readonly timeout: string;
  readonly max_concurrent: string;
  readonly on_disconnect: WireEndpoint['on_disconnect'];
  readonly cwd: string;
  readonly env: readonly VariableDraft[];
  /** Names, with spaces or commas between them. */
  readonly accepts_env: string;
  readonly schedule: string;
  readonly public: boolean;
  readonly approval_required: boolean;
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
  secret: false,
  allow_dash: false,
};

export const NEW_ENDPOINT: EndpointDraft = {
  name: '',
  description: '',
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
  approval_timeout_mins: '',
  approvers: '',
  allow_self: true,
  callback_url: '',
  transform: { parse: '', pattern: '', select: '', on_error: 'fail' },
};

/** The form of an endpoint that is there. */
export function draftOf(endpoint: WireEndpoint): EndpointDraft {
  const { transform } = endpoint;
  return {
    name: endpoint.slug,
    description: endpoint.description ?? '',
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
    approval_timeout_mins: String(endpoint.approval_timeout_mins),
    approvers: endpoint.approvers?.join(', ') ?? '',
    allow_self: endpoint.allow_self,
    callback_url: endpoint.callback_url ?? '',
    transform: {
      parse: transform?.parse ?? '',
      pattern: transform?.pattern ?? '',
      select: transform?.select ?? '',
      on_error: transform?.on_error ?? 'fail',
    },
  };
}

function argumentDraft(argument: WireArgument): ArgumentDraft {
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
    secret: argument.secret,
    allow_dash: argument.allow_dash,
  };
}

function numberText(value: number | null | undefined): string {
  return value == null ? '' : String(value);
}
