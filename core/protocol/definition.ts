import { type DeclaredAlert, keyOfAlert } from '../alert/declared-alert.ts';
import { alertSchema, issuesOfAlert } from '../config/definition/alert-schema.ts';
import { argumentSchema } from '../config/definition/argument-schema.ts';
import { checkDefinition } from '../config/definition/check-definition.ts';
import {
  decodeAlert,
  encodeAlert,
  encodeArgument,
  encodeEndpoint,
} from '../config/definition/endpoint-codec.ts';
import { endpointSchema, transformSchema } from '../config/definition/schema.ts';
import { shapeIssues } from '../config/definition/shape-issues.ts';
import { soundParts } from '../config/definition/sound-parts.ts';
import { sentenceOf } from '../config/validation-issue.ts';
import type { Argument, Endpoint } from '../endpoint/definition.ts';

/** An endpoint in frames and in the store: its object of svc.yaml (reference 2.2), with all scalars as text. */
export type WireDefinition = Readonly<Record<string, unknown>>;

/** The endpoint of a definition, or all its problems, a sentence each. */
export type ReadDefinition =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Checks a received definition by the rules of a file, and creates its endpoint. */
export function readDefinition(definition: WireDefinition): ReadDefinition {
  const { alerts } = definition;
  if (alerts !== undefined)
    return { kind: 'problems', problems: ['alerts: they are announced beside the definition'] };
  const checked = checkDefinition(definition);
  if (checked.kind === 'endpoint') return checked;
  const problems = checked.issues.map(sentenceOf);
  return { kind: 'problems', problems: [...new Set(problems)] };
}

/**
 * The definition of an endpoint; `readDefinition` gives the same endpoint back.
 *
 * Defaults are left out, so that a key of a later version does not change the hash of an endpoint without it.
 */
export function definitionOf(endpoint: Endpoint): WireDefinition {
  const { name, command, args: _args, transform, ...others } = encodeEndpoint(endpoint);
  return {
    name,
    command,
    ...withoutDefaults(
      {
        ...others,
        args: endpoint.args.map(argumentDefinition),
        transform: transform && withoutDefaults(transform, TRANSFORM_DEFAULTS),
      },
      ENDPOINT_DEFAULTS,
    ),
  };
}

/** One of the alerts that an agent announces beside the definition (decision 70, alert rules in a file). */
export function alertDefinition(alert: DeclaredAlert): WireDefinition {
  return withoutDefaults(encodeAlert(alert), {});
}

/** The announced alerts of one endpoint, with their keys, and the problems of the others. */
export interface ReadAlerts {
  readonly alerts: readonly { readonly key: string; readonly alert: DeclaredAlert }[];
  /** A sentence each. */
  readonly problems: readonly string[];
}

/** Reads announced alerts. An alert of a later version that this one does not know does not stop the others. */
export function readAlerts(announced: readonly WireDefinition[]): ReadAlerts {
  const alerts = new Map<string, DeclaredAlert>();
  const problems = announced.flatMap((one, index) => {
    const { data } = alertSchema.safeParse(one);
    const issues = [...shapeIssues(alertSchema, one), ...(data ? issuesOfAlert(data, []) : [])];
    const key = keyOfAlert(data ?? {}, index);
    if (data === undefined || issues.length > 0)
      return [`alert "${key}": ${issues.map(sentenceOf).join('; ')}`];
    if (alerts.has(key)) return [`alert "${key}" is declared twice`];
    alerts.set(key, decodeAlert(data));
    return [];
  });
  return { alerts: [...alerts].map(([key, alert]) => ({ key, alert })), problems };
}

const ENDPOINT_DEFAULTS = soundParts(endpointSchema, {});
const ARGUMENT_DEFAULTS = soundParts(argumentSchema, {});
const TRANSFORM_DEFAULTS = soundParts(transformSchema, {});

function argumentDefinition(argument: Argument): WireDefinition {
  const { name, type, ...others } = encodeArgument(argument);
  const given = { ...others, type: isImplied(argument) ? undefined : type };
  return { name, ...withoutDefaults(given, ARGUMENT_DEFAULTS) };
}

/** Whether the definition has the same type without the key `type`. */
function isImplied({ type, inferred, choices, pattern }: Argument): boolean {
  if (type === 'list') return false;
  if (inferred || choices !== undefined) return true;
  return type === 'text' && pattern !== undefined;
}

function withoutDefaults(values: WireDefinition, defaults: WireDefinition): WireDefinition {
  const isDefault = (key: string, value: unknown) => JSON.stringify(value) === JSON.stringify(defaults[key]);
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => !isDefault(key, value)));
}
