import { environmentIssues } from '../../config/definition/check-endpoint.ts';
import { clip } from '../../config/definition/clip.ts';
import { type TextAt, writtenText } from '../../config/definition/written-text.ts';
import { atValue, type Path, type ValidationIssue } from '../../config/validation-issue.ts';
import { utf8Length } from '../../endpoint/value/utf8-length.ts';
import { LIMITS } from '../../plan/limits.ts';
import { formatReference } from '../reference/reference.ts';
import { parseTextTemplate, stepFile } from '../reference/template.ts';
import {
  agentIssues,
  type CheckedStepCall,
  callIssues,
  type Parameter,
  type StepSurroundings,
} from './check-call.ts';
import type { UsedReference } from './check-references.ts';
import type { SpellingHint } from './hint.ts';
import type { WrittenNode } from './written-node.ts';

type Step = Extract<WrittenNode, { kind: 'step' }>;

/** Checks a step by itself: its endpoint, arguments, variables and the form of its references. */
export function checkStep(
  { parts, path }: Step,
  {
    hint,
    textAt,
    endpointOf,
    ...surroundings
  }: StepSurroundings &
    Pick<CheckedStepCall, 'endpointOf'> & { readonly hint: SpellingHint; readonly textAt: TextAt },
): { issues: readonly ValidationIssue[]; references: readonly UsedReference[] } {
  const issues: ValidationIssue[] = [...environmentIssues(parts.env, [...path, 'env'])];
  const read = (value: string | number | boolean, at: Path) =>
    readParameter(writtenText(value, at, textAt), at, issues);
  const readAll = (key: 'args' | 'env') =>
    Object.entries(parts[key] ?? {}).map(
      ([name, value]) => [name, read(value, [...path, key, name])] as const,
    );
  const args = readAll('args');
  const parameters = readAll('env').map(([, parameter]) => parameter);
  if (parts.agent_name !== undefined) {
    const agent = read(parts.agent_name, [...path, 'agent_name']);
    issues.push(...agentIssues(agent, surroundings, hint));
    parameters.push(agent);
  }
  if (parts.endpoint !== undefined)
    issues.push(
      ...callIssues(
        {
          path,
          endpoint: parts.endpoint,
          args: new Map(args),
          env: Object.keys(parts.env ?? {}),
          endpointOf,
        },
        surroundings,
        hint,
      ),
    );
  const references = [
    ...args.flatMap(([, parameter]) => {
      const mayBeFile = parameter.template !== undefined && stepFile(parameter.template) !== undefined;
      return usedIn(parameter, parts.id).map((used) => ({ ...used, mayBeFile }));
    }),
    ...parameters.flatMap((parameter) => usedIn(parameter, parts.id)),
  ];
  return { issues, references };
}

function readParameter(text: string, path: Path, issues: ValidationIssue[]): Parameter {
  if (utf8Length(text) > LIMITS.valueBytes) {
    issues.push(atValue(path, `it is too long: at most ${LIMITS.valueBytes} bytes expected`));
    return { path, text };
  }
  const read = parseTextTemplate(text);
  if (read.kind === 'template') return { path, text, template: read.template };
  issues.push(atValue(path, `reference in "${clip(text)}": ${read.message}`, read.offset));
  return { path, text };
}

/** References have one spelling, so their lengths give the position of each. */
function usedIn({ template, path }: Parameter, user: string | undefined): UsedReference[] {
  let offset = 0;
  return (template ?? []).flatMap((part) => {
    const at = offset;
    offset += (typeof part === 'string' ? part : formatReference(part)).length;
    return typeof part === 'string' ? [] : [{ reference: part, user, path, offset: at }];
  });
}
