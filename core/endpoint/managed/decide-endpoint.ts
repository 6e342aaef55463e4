import { type ExpectedVersion, refuseOtherVersion } from '../../api/expected-version.ts';
import { type FieldProblem, problemOf, refuseFields } from '../../api/field-problem.ts';
import { checkDefinition } from '../../config/definition/check-definition.ts';
import { checkEndpoint } from '../../config/definition/check-endpoint.ts';
import { fourEyesIssues } from '../../config/definition/four-eyes.ts';
import { isMapping } from '../../config/definition/sound-parts.ts';
import { definitionOf, type WireDefinition } from '../../protocol/definition.ts';
import { refuse } from '../../refusal.ts';
import type { Endpoint } from '../definition.ts';
import { loosenedFields, withFloor } from './floor.ts';
import { type EndpointOverrides, FILE_FIELDS } from './overrides.ts';

/** The current endpoint, as far as the decision on a change needs it. */
export interface ManagedEndpoint {
  readonly source: 'config' | 'api';
  /** The agent whose file defines the endpoint, for `config`. */
  readonly registeredBy: string | undefined;
  readonly version: number;
  readonly endpoint: Endpoint;
  /** The definition from the file or the API, without overrides. */
  readonly definition: WireDefinition;
  readonly overrides: EndpointOverrides;
}

/** The next version to store. */
export interface EndpointChange {
  readonly endpoint: Endpoint;
  readonly definition: WireDefinition;
  readonly overrides: EndpointOverrides;
}

/** The sent fields, by wire name. Null removes a field, which then has its default or the value of the file. */
export type EndpointFieldChanges = Readonly<Record<string, unknown>>;

/** The endpoint of a sent definition. Refuses with all wrong fields, by the rules of svc.yaml. */
export function decideNewEndpoint(fields: WireDefinition): EndpointChange {
  const endpoint = checked(withoutAnswerKeys(fields));
  return { endpoint, definition: definitionOf(endpoint), overrides: {} };
}

/** The issues of a sent definition beyond its shape. A value of a wrong shape is skipped: its schema reports it. */
export function problemsBeyondShape(fields: unknown): FieldProblem[] {
  if (!isMapping(fields)) return [];
  const definition = withoutAnswerKeys(fields);
  const { issues } = checkEndpoint(definition, [], () => undefined);
  return [...issues, ...fourEyesIssues(definition, [])].map(problemOf);
}

/**
 * The endpoint after a change. For an endpoint from a file the change becomes overrides, except for fields that only the
 * file decides (decision 33, the file is the source of its endpoints). For an endpoint from the API it becomes the new
 * definition.
 */
export function decideEndpointChange(
  current: ManagedEndpoint,
  changes: EndpointFieldChanges,
  expected: ExpectedVersion,
): EndpointChange {
  refuseOtherVersion('endpoint', current.version, expected);
  if (current.source === 'api')
    return decideNewEndpoint(changed(current.definition, changes) as WireDefinition);
  refuseFileFields(current, changes);
  const overrides = changed(current.overrides, withoutAnswerKeys(changes));
  const endpoint = checked({ ...current.definition, ...overrides });
  refuseLoosened(current, changes, endpoint);
  const file = fileEndpoint(current.definition);
  return { endpoint: withFloor(file, endpoint), definition: current.definition, overrides };
}

/** Refuses to delete an endpoint that the next start of its agent would register again. */
export function decideEndpointRemoval(current: ManagedEndpoint, expected: ExpectedVersion): void {
  refuseOtherVersion('endpoint', current.version, expected);
  if (current.source === 'api') return;
  const { registeredBy: agent = 'default', endpoint } = current;
  const message =
    `"${endpoint.slug}" stands in the file of the agent "${agent}": take it out there and it goes within a second; ` +
    'if that agent is gone for good, connect one of its name with a file that does not have it';
  throw refuse('managed_by_config', message, { agent_name: agent });
}

function refuseFileFields({ registeredBy, endpoint }: ManagedEndpoint, changes: EndpointFieldChanges): void {
  const fields = FILE_FIELDS.filter((field) => changes[field] !== undefined);
  if (fields.length === 0) return;
  const file = `the file of the agent "${registeredBy ?? 'default'}"`;
  const message = `${fields.join(', ')}: "${endpoint.slug}" has this from ${file}, and it is changed there`;
  throw refuse('managed_by_config', message, { fields });
}

/**
 * Refuses values that are looser than the file. The API can only tighten them; the file can loosen them (decision 60, the
 * file is a floor).
 */
function refuseLoosened(
  { registeredBy, definition }: ManagedEndpoint,
  changes: EndpointFieldChanges,
  next: Endpoint,
) {
  const sent = (field: string) => changes[field] !== undefined && changes[field] !== null;
  const loosened = loosenedFields(fileEndpoint(definition), next).filter(({ field }) => sent(field));
  if (loosened.length === 0) return;
  const reported = loosened.map(
    ({ field, file, accepted }) => `${field}: the file says ${file}; only ${accepted} is accepted here`,
  );
  const where = `change svc.yaml on the agent "${registeredBy ?? 'default'}" to allow more`;
  throw refuse('managed_by_config', `${reported.join('; ')}; ${where}`, {
    fields: loosened.map(({ field }) => field),
  });
}

function changed(before: EndpointFieldChanges, changes: EndpointFieldChanges): EndpointFieldChanges {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const all = Object.entries({ ...before, ...Object.fromEntries(given) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** The endpoint as its agent registered it, which was checked then. */
function fileEndpoint(definition: WireDefinition): Endpoint {
  const result = checkDefinition(definition);
  if (result.kind === 'endpoint') return result.endpoint;
  throw refuseFields(result.issues.map(problemOf));
}

function checked(definition: WireDefinition): Endpoint {
  const result = checkDefinition(definition);
  const issues = [...(result.kind === 'issues' ? result.issues : []), ...fourEyesIssues(definition, [])];
  if (result.kind === 'endpoint' && issues.length === 0) return result.endpoint;
  throw refuseFields(issues.map(problemOf));
}

/**
 * Removes the keys of arguments that only answers contain, so that a client can send back the answer of `GET
 * /endpoints/{slug}`. An inferred type is inferred again.
 */
export function withoutAnswerKeys<Fields extends Readonly<Record<string, unknown>>>(fields: Fields): Fields {
  const { args } = fields;
  return Array.isArray(args) ? { ...fields, args: args.map(definitionPart) } : fields;
}

function definitionPart(item: unknown): unknown {
  if (!isMapping(item)) return item;
  const { inferred, accepts: _accepts, ...rest } = item;
  if (inferred !== true) return rest;
  const { type: _type, ...untyped } = rest;
  return untyped;
}
