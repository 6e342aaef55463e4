import type { Endpoint } from '../endpoint/definition.ts';
import { utf8Length } from '../endpoint/value/utf8-length.ts';
import type { Pipeline } from '../pipeline/definition/pipeline.ts';
import { LIMITS } from '../plan/limits.ts';
import { LINK_LIMITS } from '../protocol/limits.ts';
import { sourceIssues } from './definition/check-choices.ts';
import { checkEndpoint } from './definition/check-endpoint.ts';
import { checkPipelines } from './definition/check-pipelines.ts';
import { fourEyesIssues } from './definition/four-eyes.ts';
import { present } from './definition/present.ts';
import { configFrameSchema, type TemplateDefinition, templateSchema } from './definition/schema.ts';
import { shapeIssues } from './definition/shape-issues.ts';
import { isMapping } from './definition/sound-parts.ts';
import type { ConfigProblem } from './problem.ts';
import { atKey, atValue, formatPath, type Path, type ValidationIssue } from './validation-issue.ts';
import type { PlainProblem } from './yaml/plain-value.ts';
import { readYaml, type YamlDocument } from './yaml/read-yaml.ts';
import { normalizedText } from './yaml/readable-text.ts';
import { type TextPosition, textPositions } from './yaml/text-position.ts';

/** A `svc.yaml` that is read and checked (reference 2.1). */
export interface Config {
  readonly version: 1;
  /** The gallery's entry, for a file that is a template (reference 2.8). */
  readonly template?: TemplateDefinition;
  readonly endpoints: readonly Endpoint[];
  readonly pipelines: readonly Pipeline[];
}

/** A config, or all problems of the file. Warnings are about keys without effect. */
export type ParsedConfig =
  | { readonly kind: 'config'; readonly config: Config; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: 'problems'; readonly problems: readonly ConfigProblem[] };

/** The limit of reported problems. A file that is not a config at all can have one for every key. */
const MAX_PROBLEMS = 100;

type PositionOf = (offset: number) => TextPosition;

/**
 * Reads a `svc.yaml`. Returns the config, or all problems in the order of the file, each with line and column.
 *
 * Mistakes in the YAML syntax are reported alone, because they change the meaning of the rest. `takenNames` are the names
 * that the server itself uses. Never throws, whatever the text.
 */
export function parseConfig(text: string, takenNames: readonly string[] = []): ParsedConfig {
  if (utf8Length(text) > LIMITS.configBytes) {
    const message = `the file is larger than ${LIMITS.configBytes} bytes`;
    return { kind: 'problems', problems: [{ message, line: 1, column: 1, path: '' }] };
  }
  const source = normalizedText(text);
  const positionOf = textPositions(source);
  const read = readYaml(source, positionOf);
  if (read.kind === 'problems') return { kind: 'problems', problems: inOrder(read.problems, positionOf) };
  return checkConfig(read.document, positionOf, takenNames);
}

function checkConfig(
  yaml: YamlDocument,
  positionOf: PositionOf,
  takenNames: readonly string[],
): ParsedConfig {
  const { value } = yaml;
  const [items, pipelineItems] = [listIn(value, 'endpoints'), listIn(value, 'pipelines')];
  if (items.length > LINK_LIMITS.endpoints)
    return { kind: 'problems', problems: [tooMany(items.length, yaml, positionOf)] };
  const checked = items.map((item, index) => checkEndpoint(item, ['endpoints', index], yaml.textAt));
  const endpoints = checked.flatMap(({ endpoint }) => endpoint ?? []);
  const checkedPipelines = checkPipelines(pipelineItems, endpoints, yaml.textAt);
  const lineOf = (path: Path) => positionOf(yaml.offsetOf(atValue(path, ''))).line;
  const issues = [
    ...shapeIssues(configFrameSchema, value),
    ...checked.flatMap((one) => one.issues),
    ...items.flatMap((item, index) => fourEyesIssues(item, ['endpoints', index])),
    ...sourceIssues(
      checked.map(({ endpoint }) => endpoint),
      items.flatMap((item) => (isMapping(item) && typeof item.name === 'string' ? [item.name] : [])),
    ),
    ...checkedPipelines.issues,
    ...checkNames({ endpoints: items, pipelines: pipelineItems }, { takenNames, lineOf }),
  ];
  const problems = [...yaml.problems, ...located(issues, yaml)];
  if (problems.length > 0) return { kind: 'problems', problems: inOrder(problems, positionOf) };
  const { pipelines } = checkedPipelines;
  const warnings = [
    ...(items.length + pipelines.length === 0 ? [NO_ENDPOINTS] : []),
    ...checked.flatMap((one) => one.warnings),
    ...checkedPipelines.warnings,
  ];
  const template =
    isMapping(value) && value.template !== undefined ? templateSchema.parse(value.template) : undefined;
  return {
    kind: 'config',
    config: { version: 1, ...present({ template }), endpoints, pipelines },
    warnings: inOrder(located(warnings, yaml), positionOf),
  };
}

/** The only problem reported for such a file, because checking so many endpoints would take too long. */
function tooMany(count: number, yaml: YamlDocument, positionOf: PositionOf): ConfigProblem {
  const path: Path = ['endpoints'];
  const message = `${count} endpoints are too many for one file: at most ${LINK_LIMITS.endpoints} are accepted`;
  return { message, ...positionOf(yaml.offsetOf(atKey(path, ''))), path: formatPath(path) };
}

function listIn(value: unknown, key: string): readonly unknown[] {
  return isMapping(value) && Array.isArray(value[key]) ? value[key] : [];
}

const NO_ENDPOINTS = atKey(['endpoints'], 'there are no endpoints: nothing can be called');

/** NOTE: A syntax problem hides the other problems at its place, because they only follow from it. */
function located(issues: readonly ValidationIssue[], yaml: YamlDocument): PlainProblem[] {
  const reported = new Set(yaml.problems.map(({ offset }) => offset));
  return issues
    .map((issue) => ({
      offset: yaml.offsetOf(issue),
      message: issue.message,
      path: issue.path,
    }))
    .filter(({ offset }) => !reported.has(offset));
}

function inOrder(problems: readonly PlainProblem[], positionOf: PositionOf): ConfigProblem[] {
  const unique = new Map(problems.map((problem) => [`${problem.offset} ${problem.message}`, problem]));
  const sorted = [...unique.values()].sort((a, b) => a.offset - b.offset);
  const shown = sorted.slice(0, MAX_PROBLEMS).map(({ message, offset, path }) => ({
    message,
    ...positionOf(offset),
    path: formatPath(path),
  }));
  const last = shown.at(-1);
  const more = sorted.length - shown.length;
  return more > 0 && last
    ? [...shown, { ...last, message: `and ${more} more problems after this one`, path: '' }]
    : shown;
}

/** The names that are already in use, and the position of each item in the file. */
interface NameSurroundings {
  /** Names that the server itself uses. */
  readonly takenNames: readonly string[];
  readonly lineOf: (path: Path) => number;
}

/** Checks that each item of `endpoints` and `pipelines` has a URL of its own (decision 2, slugs). */
function checkNames(
  { endpoints, pipelines }: Record<'endpoints' | 'pipelines', readonly unknown[]>,
  { takenNames, lineOf }: NameSurroundings,
): ValidationIssue[] {
  const firstPaths = new Map<string, Path>();
  const named = [
    ...endpoints.flatMap((item, index) => namesIn(item, ['name'], ['endpoints', index])),
    ...pipelines.flatMap((item, index) => namesIn(item, ['name', 'slug'], ['pipelines', index])),
  ];
  return named.flatMap(({ name, path }) => {
    const first = firstPaths.get(name);
    const what = path[0] === 'endpoints' ? 'endpoint' : 'pipeline';
    if (first) return [atValue(path, `${what} "${name}" stands twice; first in line ${lineOf(first)}`)];
    firstPaths.set(name, path);
    if (what === 'pipeline' || !takenNames.includes(name)) return [];
    return [atValue(path, `name "${name}" is taken by the server itself: choose another`)];
  });
}

function namesIn(item: unknown, keys: readonly string[], path: Path): { name: string; path: Path }[] {
  if (!isMapping(item)) return [];
  const key = keys.find((candidate) => item[candidate] !== undefined);
  const name = key === undefined ? undefined : item[key];
  return key === undefined || typeof name !== 'string' ? [] : [{ name, path: [...path, key] }];
}
