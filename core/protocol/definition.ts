import { checkDefinition } from '../config/definition/check-definition.ts';
import { present } from '../config/definition/present.ts';
import {
  type ArgumentDefinition,
  argumentSchema,
  type EndpointDefinition,
  endpointSchema,
} from '../config/definition/schema.ts';
import { formatPath } from '../config/finding.ts';
import type { Argument, Endpoint } from '../endpoint/definition.ts';
import type { Transform } from '../execution/transform/transform.ts';

/** An endpoint in frames and in the store: its object of svc.yaml (reference 2.2), with all scalars as text. */
export type WireDefinition = Readonly<Record<string, unknown>>;

/** The endpoint of a definition, or all its problems, a sentence each. */
export type ReadDefinition =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Checks a received definition by the rules of a file, and creates its endpoint. */
export function readDefinition(definition: WireDefinition): ReadDefinition {
  const checked = checkDefinition(definition);
  if (checked.kind === 'endpoint') return checked;
  const problems = checked.findings.map(({ path, message }) =>
    path.length === 0 ? message : `${formatPath(path)}: ${message}`,
  );
  return { kind: 'problems', problems: [...new Set(problems)] };
}

/**
 * The definition of an endpoint; `readDefinition` gives the same endpoint back.
 *
 * Defaults are left out, so that a key of a later version does not change the hash of an endpoint without it.
 */
export function definitionOf(endpoint: Endpoint): WireDefinition {
  const { slug, command, args, env, transform } = endpoint;
  const others = {
    args: args.map(argumentDefinition),
    method: endpoint.method,
    description: endpoint.description,
    timeout: endpoint.timeoutSec,
    env,
    accepts_env: endpoint.acceptsEnv,
    cwd: endpoint.cwd,
    transform: transform && transformDefinition(transform),
    public: endpoint.public,
    on_disconnect: endpoint.onDisconnect,
    max_concurrent: endpoint.maxConcurrent,
    schedule: endpoint.schedule,
    agent_name: endpoint.agentName,
    approval_required: endpoint.approvalRequired,
    approval_timeout_mins: endpoint.approvalTimeoutMins,
    approvers: endpoint.approvers,
    allow_self: endpoint.allowSelf,
    approver_keys: endpoint.approverKeys,
    callback_url: endpoint.callbackUrl,
  } satisfies Record<Exclude<keyof EndpointDefinition, 'name' | 'command'>, unknown>;
  return { name: slug, command, ...withoutDefaults(others, ENDPOINT_DEFAULTS) };
}

const ENDPOINT_DEFAULTS = endpointSchema.parse({ name: 'x', command: 'x' });
const ARGUMENT_DEFAULTS = argumentSchema.parse({ name: 'x' });

function argumentDefinition(argument: Argument): WireDefinition {
  const { name, choices } = argument;
  const others = {
    required: argument.required,
    default: argument.default,
    description: argument.description,
    type: isUnderstood(argument) ? undefined : argument.type,
    choices,
    pattern: argument.pattern,
    root: argument.root,
    schemes: argument.schemes,
    hosts: argument.hosts,
    max_length: argument.maxLength,
    secret: argument.secret,
    allow_dash: argument.allowDash,
  } satisfies Record<Exclude<keyof ArgumentDefinition, 'name'>, unknown>;
  return { name, ...withoutDefaults(others, ARGUMENT_DEFAULTS) };
}

/** Whether the definition says the type without the key `type`. */
function isUnderstood({ type, inferred, choices, pattern }: Argument): boolean {
  if (inferred || choices !== undefined) return true;
  return type === 'text' && pattern !== undefined;
}

function transformDefinition({ parse, pattern, select, onError }: Transform): WireDefinition {
  return present({ parse, pattern, select, on_error: onError === 'fail' ? undefined : onError });
}

function withoutDefaults(values: WireDefinition, defaults: WireDefinition): WireDefinition {
  const isDefault = (key: string, value: unknown) => JSON.stringify(value) === JSON.stringify(defaults[key]);
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => !isDefault(key, value)));
}
