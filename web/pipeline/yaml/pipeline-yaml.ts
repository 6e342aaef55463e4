import { type ValidationIssue as CoreIssue, formatPath } from '@svc/core/config/validation-issue';
import { checkPipeline } from '@svc/core/pipeline/definition/check-pipeline';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import type { PipelineIssue } from '../graph/issues.ts';
import { bodyOf } from '../graph/wire-pipeline.ts';
import { definitionYaml } from './definition-yaml.ts';

/** A pipeline as an item of `pipelines:` in svc.yaml, except that its name is `slug` here. */
export function yamlOf(pipeline: Pipeline): string {
  return definitionYaml(bodyOf(pipeline));
}

/** A problem at a position of the text; offsets count characters. */
export interface TextProblem {
  readonly from: number;
  readonly to: number;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Reads a pipeline from a text; on failure the problems. */
export function pipelineIn(text: string): Pipeline | readonly TextProblem[] {
  const { document, lines } = parsed(text);
  const broken = document.errors.map(({ pos: [from, to], message }) =>
    problemAt(lines, { from, to, message: message.split('\n')[0] ?? message }),
  );
  if (broken.length > 0) return broken;
  const alias = firstAlias(document);
  if (alias !== undefined)
    return [problemAt(lines, { ...alias, message: 'aliases are not allowed; write the value' })];
  const checked = checkPipeline(document.toJS());
  if (checked.kind === 'pipeline') return checked.pipeline;
  return checked.issues.map((issue) => placed(document, lines, issue));
}

/** The first alias: aliases let a short text expand to a huge one, so a pipeline may have none. */
function firstAlias(document: Document): Pick<TextProblem, 'from' | 'to'> | undefined {
  let found: Pick<TextProblem, 'from' | 'to'> | undefined;
  visit(document, {
    Alias(_, { range }) {
      found = { from: range?.[0] ?? 0, to: range?.[1] ?? 0 };
      return visit.BREAK;
    },
  });
  return found;
}

/** The issues of the hub with their positions in the text. */
export function positionedProblems(text: string, issues: readonly PipelineIssue[]): readonly TextProblem[] {
  const { document, lines } = parsed(text);
  return issues.map(({ path, message }) => placed(document, lines, { path: pathOf(path), message }));
}

function parsed(text: string) {
  const lines = new LineCounter();
  return { document: parseDocument(text, { lineCounter: lines }), lines };
}

/** Places an issue at the value of its path, or at the nearest existing parent. */
function placed(
  document: Document,
  lines: LineCounter,
  { path, message }: Pick<CoreIssue, 'path' | 'message'>,
): TextProblem {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (!isNode(node) || !node.range) continue;
    const rest = formatPath(path.slice(length));
    return problemAt(lines, {
      from: node.range[0],
      to: node.range[1],
      message: rest ? `${rest}: ${message}` : message,
    });
  }
  return problemAt(lines, { from: 0, to: 0, message });
}

function problemAt(lines: LineCounter, problem: Omit<TextProblem, 'line'>): TextProblem {
  return { ...problem, line: Math.max(1, lines.linePos(problem.from).line) };
}

/** `nodes[0].args.branch` → nodes, 0, args, branch. */
function pathOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? (key ?? '') : Number(index),
  );
}
