import { clip } from '../../config/definition/clip.ts';
import { present } from '../../config/definition/present.ts';
import { utf8Length } from '../../endpoint/value/utf8-length.ts';
import { LIMITS } from '../../plan/limits.ts';
import { isAgentName } from '../../protocol/agent-name.ts';
import type { Scope } from '../reference/resolve-reference.ts';
import { resolveText, type TextTemplate } from '../reference/template.ts';
import type { LeftFile, StartStep } from './action.ts';
import type { GraphStep } from './graph.ts';

/** The call of a step, or why it cannot be made. */
export type StepCall = StartStep | { readonly kind: 'problem'; readonly error: string };

/**
 * Replaces the references of a step with values (decision 42, references and conditions). An argument or variable whose
 * reference has no value is left out.
 */
export function callOf(node: GraphStep, attempt: number, scope: Scope): StepCall {
  const { step } = node;
  const args = texts(node.args, scope);
  const env = texts(node.env, scope);
  const agentName = node.agentName && (resolveText(node.agentName, scope) ?? '');
  const error = valueProblem('argument', args) ?? valueProblem('variable', env);
  if (error !== undefined) return { kind: 'problem', error };
  // Without a name the step would run on the endpoint's default agent, which is not what the author asked for.
  if (agentName !== undefined && !isAgentName(agentName)) {
    const standsFor = agentName === '' ? 'nothing' : 'what cannot be the name of an agent';
    const error = `agent_name "${clip(step.agentName ?? '')}" stands for ${standsFor} in this run`;
    return { kind: 'problem', error };
  }
  return {
    kind: 'start_step',
    step: step.id,
    attempt,
    endpoint: step.endpoint,
    args,
    env,
    ...(node.files.length > 0 && { files: leftFiles(node, scope) }),
    ...present({ agentName, timeoutSec: step.timeoutSec }),
  };
}

function leftFiles({ files }: GraphStep, { resultOf }: Scope): Readonly<Record<string, LeftFile>> {
  return Object.fromEntries(
    files.map(([name, file]) => [
      name,
      { ...file, ...present({ execution: resultOf(file.step)?.execution }) },
    ]),
  );
}

function texts(
  templates: readonly (readonly [string, TextTemplate])[],
  scope: Scope,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    templates.flatMap(([name, template]) => {
      const text = resolveText(template, scope);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** The values that no command can receive (decision 8, leading dash and sizes of values). The endpoint checks the rest. */
function valueProblem(what: string, values: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    if (utf8Length(value) > LIMITS.valueBytes)
      return `${what} "${clip(name)}": the value is longer than ${LIMITS.valueBytes} bytes`;
    if (value.includes('\0')) return `${what} "${clip(name)}": a NUL character cannot be passed to a command`;
    if (!value.isWellFormed()) return `${what} "${clip(name)}": half of a surrogate pair is no character`;
  }
  return undefined;
}
