import { artifactNameProblem } from '../../artifact/name.ts';
import { LIMITS } from '../../plan/limits.ts';

/** The results of a step that later nodes can refer to (decision 42, references and conditions). */
export const STEP_FIELDS = ['output', 'data', 'exit_code', 'artifacts'] as const;
export type StepField = (typeof STEP_FIELDS)[number];

/** The facts from the headers of a webhook: the kind of event, and the id of the delivery. */
export const TRIGGER_FIELDS = ['event', 'delivery'] as const;
export type TriggerField = (typeof TRIGGER_FIELDS)[number];

/** The place of a value: `{input.a.b}`, `{trigger.event}` or `{steps.build.data.x}`. */
export type ValueReference =
  | { readonly from: 'input'; readonly path: readonly [string, ...string[]] }
  | { readonly from: 'trigger'; readonly field: TriggerField }
  | {
      readonly from: 'step';
      readonly step: string;
      readonly field: StepField;
      /** The path inside `data`; of `artifacts` the name of the file alone; empty for the other results. */
      readonly path: readonly string[];
    };

/** The result of parsing one reference. Offsets are in the given text, in UTF-16 code units. */
export type ReadReference =
  | { readonly kind: 'reference'; readonly reference: ValueReference; readonly end: number }
  | { readonly kind: 'problem'; readonly message: string; readonly offset: number };

const PART = /[\p{L}\p{N}_$@-]+/uy;

/** Parses the reference whose `{` is at `start`. */
export function readReference(text: string, start: number): ReadReference {
  const parts: string[] = [];
  let at = start;
  do {
    PART.lastIndex = at + 1;
    const part = PART.exec(text)?.[0];
    if (part === undefined) return problem('a name expected, as in {input.name}', at + 1);
    parts.push(part);
    at += 1 + part.length;
    if (isOfFiles(parts) && text[at] === '.') return namedFile(parts, text, at + 1);
  } while (text[at] === '.' && parts.length <= LIMITS.jsonDepth);
  if (text[at] === '.') return problem(`at most ${LIMITS.jsonDepth} names expected`, at);
  if (text[at] !== '}') return problem('"." or "}" expected', at);
  return named(parts, start, at + 1);
}

/** The text of a reference in its only spelling. */
export function formatReference(reference: ValueReference): string {
  if (reference.from === 'input') return `{input.${reference.path.join('.')}}`;
  if (reference.from === 'trigger') return `{trigger.${reference.field}}`;
  return `{${['steps', reference.step, reference.field, ...reference.path].join('.')}}`;
}

function isOfFiles([root, , field, ...more]: readonly string[]): boolean {
  return root === 'steps' && field === 'artifacts' && more.length === 0;
}

/** The name of a file has dots and slashes, so it goes up to the brace. */
function namedFile([, step = '']: readonly string[], text: string, start: number): ReadReference {
  const end = text.indexOf('}', start);
  if (end === -1) return problem('"}" expected after the name of a file', text.length);
  const name = text.slice(start, end);
  if (artifactNameProblem(name) !== undefined)
    return problem('the name of a file expected, as in {steps.build.artifacts.dist/app.zip}', start);
  return {
    kind: 'reference',
    reference: { from: 'step', step, field: 'artifacts', path: [name] },
    end: end + 1,
  };
}

function named([root, ...names]: readonly string[], start: number, end: number): ReadReference {
  if (root === 'input') {
    const [first, ...rest] = names;
    if (first === undefined) return problem('the name of a field expected, as in {input.name}', end - 1);
    return { kind: 'reference', reference: { from: 'input', path: [first, ...rest] }, end };
  }
  if (root === 'trigger') {
    const field = TRIGGER_FIELDS.find((name) => name === names[0]);
    if (field === undefined || names.length > 1)
      return problem('event or delivery expected, as in {trigger.event}', start + '{trigger.'.length);
    return { kind: 'reference', reference: { from: 'trigger', field }, end };
  }
  if (root !== 'steps') return problem(`"${root}": input, trigger or steps expected`, start + 1);
  const [step, field, ...path] = names;
  if (step === undefined) return problem('the id of a step expected, as in {steps.build.output}', end - 1);
  if (!isStepField(field) || field === 'artifacts' || (field !== 'data' && path.length > 0)) {
    return problem(
      'output, exit_code, data, data.<name> or artifacts.<file> of the step expected',
      start + '{steps.'.length + step.length,
    );
  }
  return { kind: 'reference', reference: { from: 'step', step, field, path }, end };
}

function isStepField(name: string | undefined): name is StepField {
  return STEP_FIELDS.some((field) => field === name);
}

function problem(message: string, offset: number): ReadReference {
  return { kind: 'problem', message, offset };
}
