import { type ExpectedVersion, refuseOtherVersion } from '../../api/expected-version.ts';
import { type FieldProblem, refuseFields } from '../../api/field-problem.ts';
import { checkDefinition } from '../../config/definition/check-definition.ts';
import { fourEyesIssues } from '../../config/definition/four-eyes.ts';
import type { ValidationIssue } from '../../config/finding.ts';
import { definitionOf, type WireDefinition } from '../../protocol/definition.ts';
import { refuse } from '../../refusal.ts';
import type { Endpoint } from '../definition.ts';
import { loosenedFields, withFloor } from './floor.ts';
import { FILE_FIELDS, type Overrides } from './overrides.ts';
import { withoutAnswerKeys } from './sent-arguments.ts';

/** An endpoint as far as changes of it are decided on it. */
export interface ManagedEndpoint {
  readonly source: 'config' | 'api';
  /** The agent in whose file it stands, for `config`. */
  readonly registeredBy: string | undefined;
  readonly version: number;
  readonly endpoint: Endpoint;
  /** Of the file, or as it was made here: without what overrides it. */
  readonly definition: WireDefinition;
  readonly overrides: Overrides;
}

/** What is to be stored as the next version. */
export interface EndpointChange {
  readonly endpoint: Endpoint;
  readonly definition: WireDefinition;
  readonly overrides: Overrides;
}

/** What was sent, by wire names; null takes a field away: it has its default again, or what the file says. */
export type EndpointFieldChanges = Readonly<Record<string, unknown>>;

/** The endpoint of a definition that was sent; refuses it with each field that is wrong, by the rules of svc.yaml. */
export function decideNewEndpoint(fields: WireDefinition): EndpointChange {
  const endpoint = checked(withoutAnswerKeys(fields));
  return { endpoint, definition: definitionOf(endpoint), overrides: {} };
}

/**
 * The endpoint after a change. One of a file is overridden, where the file does not decide alone (decision 33); one that was
 * made here gets another definition.
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

/** Refuses to delete what would be back with the next start of its agent. */
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

/** What a file demands is tightened here and loosened in the file (decision 60). */
function refuseLoosened(
  { registeredBy, definition }: ManagedEndpoint,
  changes: EndpointFieldChanges,
  next: Endpoint,
) {
  const sent = (field: string) => changes[field] !== undefined && changes[field] !== null;
  const loosened = loosenedFields(fileEndpoint(definition), next).filter(({ field }) => sent(field));
  if (loosened.length === 0) return;
  const told = loosened.map(
    ({ field, file, accepted }) => `${field}: the file says ${file}; only ${accepted} is accepted here`,
  );
  const where = `change svc.yaml on the agent "${registeredBy ?? 'default'}" to allow more`;
  throw refuse('managed_by_config', `${told.join('; ')}; ${where}`, {
    fields: loosened.map(({ field }) => field),
  });
}

function changed(before: EndpointFieldChanges, changes: EndpointFieldChanges): EndpointFieldChanges {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const all = Object.entries({ ...before, ...Object.fromEntries(given) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** As its agent announced it: that was checked then. */
function fileEndpoint(definition: WireDefinition): Endpoint {
  const result = checkDefinition(definition);
  if (result.kind === 'endpoint') return result.endpoint;
  throw refuseFields(result.findings.map(problemOf));
}

function checked(definition: WireDefinition): Endpoint {
  const result = checkDefinition(definition);
  const findings = [
    ...(result.kind === 'findings' ? result.findings : []),
    ...fourEyesIssues(definition, []),
  ];
  if (result.kind === 'endpoint' && findings.length === 0) return result.endpoint;
  throw refuseFields(findings.map(problemOf));
}

function problemOf({ path, message, offset }: ValidationIssue): FieldProblem {
  return { path, message, ...(offset === undefined ? {} : { offset }) };
}
