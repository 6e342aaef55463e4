import { present } from '../../config/definition/present.ts';
import type { Scope } from '../reference/resolve-reference.ts';
import { resolveText, type Template } from '../reference/template.ts';
import type { StartStep } from './action.ts';
import type { GraphStep } from './graph.ts';

/** The call that a step makes, or why it cannot make one. */
export type StepCall = StartStep | { readonly kind: 'problem'; readonly error: string };

/** Puts values where a step refers to them (decision 42); an argument or variable whose reference finds nothing is left out. */
export function callOf({ step, args, env, agentName }: GraphStep, attempt: number, scope: Scope): StepCall {
  const agent = agentName && (resolveText(agentName, scope) ?? '');
  // Without a name it would run wherever the endpoint says, which is not what the author asked for.
  if (agent === '')
    return { kind: 'problem', error: `agent_name "${step.agentName}" stands for nothing in this run` };
  return {
    kind: 'start_step',
    step: step.id,
    attempt,
    endpoint: step.endpoint,
    args: texts(args, scope),
    env: texts(env, scope),
    ...present({ agentName: agent, timeoutSec: step.timeoutSec }),
  };
}

function texts(templates: readonly (readonly [string, Template])[], scope: Scope): Record<string, string> {
  return Object.fromEntries(
    templates.flatMap(([name, template]) => {
      const text = resolveText(template, scope);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}
