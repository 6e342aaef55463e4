import type { Argument, Endpoint } from '../endpoint/definition.ts';
import { isRequiredFile } from '../endpoint/file-arguments.ts';
import { itemArgument, listItems } from '../endpoint/value/list.ts';
import { acceptedBy } from '../endpoint/value/type/accepted.ts';
import { LIMITS } from '../plan/limits.ts';
import { visibleText } from '../text/visible-text.ts';
import type { ToolSchema } from './json-schema.ts';

/** One tool as the Model Context Protocol lists it (revision 2026-07-28, `tools/list`). */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolSchema & { readonly type: 'object' };
  /** The schema of the structured content of each result that is no error. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations: ToolAnnotations;
}

/** Hints for the program that shows the tool. They protect nothing, except where a workspace has `read_only`. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The hints that the owner gives about a command; a missing hint counts as the worst case (decision 66, tools for AI agents). */
export function annotationsOf({
  effects,
  idempotent,
}: Pick<Endpoint, 'effects' | 'idempotent'>): ToolAnnotations {
  return {
    readOnlyHint: effects === 'read',
    destructiveHint: effects === undefined || effects === 'destroy',
    idempotentHint: idempotent === true || effects === 'read',
    openWorldHint: true,
  };
}

/** In Unicode code points; a longer command is cut in the description, because the list costs tokens. */
const COMMAND_CHARS = 200;

/** The endpoint as a tool. `agentName`: the agent that runs it by default; undefined: this machine. */
export function toolOfEndpoint(endpoint: Endpoint, agentName: string | undefined): McpTool {
  return {
    name: endpoint.slug,
    title: endpoint.slug,
    description: descriptionOf(endpoint, agentName),
    inputSchema: inputSchemaOf(endpoint.args),
    ...(endpoint.transform?.schema === undefined ? {} : { outputSchema: endpoint.transform.schema }),
    annotations: annotationsOf(endpoint),
  };
}

/**
 * The secret argument that a caller must give; an endpoint that has one is no tool. A secret does not belong in the context of a
 * model (decision 66, tools for AI agents).
 */
export function requiredSecret(endpoint: Pick<Endpoint, 'args'>): string | undefined {
  return endpoint.args.find((argument) => argument.secret && isRequired(argument))?.name;
}

function descriptionOf(
  { description, command, ...endpoint }: Endpoint,
  agentName: string | undefined,
): string {
  const place = agentName === undefined ? 'this machine' : `agent ${agentName}`;
  const about = description === undefined ? '' : `${ended(visibleText(description))} `;
  const runs = `Runs \`${clipped(visibleText(command))}\` on ${place}`;
  return `${about}${runs}${approvalClause(endpoint)}.`;
}

function approvalClause({
  approvalRequired,
  approvers,
}: Pick<Endpoint, 'approvalRequired' | 'approvers'>): string {
  if (!approvalRequired) return '';
  return `; needs approval by ${approvers === undefined ? 'a member' : approvers.join(' or ')}`;
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function clipped(text: string): string {
  const chars = [...text];
  return chars.length <= COMMAND_CHARS ? text : `${chars.slice(0, COMMAND_CHARS).join('')}…`;
}

/** The values that the tool takes. Secret arguments and files are left out; unknown names are refused. */
export function inputSchemaOf(args: readonly Argument[]): McpTool['inputSchema'] {
  const open = args.filter(({ secret, type }) => !secret && type !== 'file');
  const required = open.filter(isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(open.map((argument) => [argument.name, toolArgumentSchema(argument)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

export function isRequired({ required, default: fallback }: Argument): boolean {
  return required && fallback === undefined;
}

/** The values that one argument takes. The default of a secret is left out: a caller need not know it. */
export function toolArgumentSchema(argument: Argument): ToolSchema {
  const { description, secret } = argument;
  const fallback = secret ? undefined : argument.default;
  const about = [
    description === undefined ? undefined : visibleText(description),
    formOf(argument),
    sourceOf(argument),
  ];
  const text = about.filter((part) => part !== undefined).join('. ');
  return {
    ...typeOf(argument),
    ...(text === '' ? {} : { description: text }),
    ...(fallback === undefined ? {} : { default: defaultOf(argument, fallback) }),
  };
}

/** Whether each call needs a file, which JSON cannot carry (decision 76, files of a call). */
export function needsFile({ args }: Pick<Endpoint, 'args'>): boolean {
  return args.some(isRequiredFile);
}

const BASE_TYPES = { integer: 'integer', number: 'number', boolean: 'boolean' } as const;

function typeOf(argument: Argument): ToolSchema {
  const { type, choices, pattern, maxLength } = argument;
  if (type === 'list') {
    const maxItems = argument.maxItems ?? LIMITS.defaultListItems;
    return { type: 'array', items: typeOf(itemArgument(argument)), minItems: 1, maxItems };
  }
  // The definition's check accepts only keywords of JSON Schema (`schemaLimitProblem`).
  if (type === 'json') return (argument.schema ?? {}) as ToolSchema;
  if (type === 'integer' || type === 'number' || type === 'boolean') return { type: BASE_TYPES[type] };
  if (type === 'file') return { type: 'string', format: 'binary' };
  const whole = pattern === undefined ? undefined : wholePattern(pattern);
  return {
    type: 'string',
    ...(choices === undefined ? {} : { enum: choices }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(whole === undefined ? {} : { pattern: whole }),
  };
}

/** A pattern in our syntax matches the whole value. Clients read ECMA-262, so a pattern that is none there is left out. */
function wholePattern(pattern: string): string | undefined {
  const whole = `^(?:${pattern})$`;
  try {
    new RegExp(whole, 'u');
    return whole;
  } catch {
    return undefined;
  }
}

/** The part of a type that the schema cannot express. */
function formOf(argument: Argument): string | undefined {
  const { type } = argument;
  if (type === 'list') return formOf(itemArgument(argument))?.replace(/^Accepts /, 'Each item accepts ');
  const isPlain = type === 'text' || type === 'code' || type === 'enum' || type === 'json';
  return isPlain || Object.hasOwn(BASE_TYPES, type) ? undefined : `Accepts ${acceptedBy(argument)}`;
}

/** Where the accepted values are listed (decision 69, choices from an endpoint): an AI client calls that tool for them. */
function sourceOf({ choicesFrom, choicesArgs = {} }: Argument): string | undefined {
  if (choicesFrom === undefined) return undefined;
  const args = Object.entries(choicesArgs).map(([name, value]) => `${name}=${value}`);
  const called = args.length === 0 ? '' : `, called with ${visibleText(args.join(' '))},`;
  return `The endpoint "${choicesFrom}"${called} lists the values that are accepted now`;
}

function defaultOf(argument: Argument, text: string): unknown {
  const { type } = argument;
  if (type === 'list') return listItems(text).map((item) => defaultOf(itemArgument(argument), item));
  if (type === 'json') return JSON.parse(text);
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? Number(text) : text;
}
