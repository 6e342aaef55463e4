import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { loadPart } from '../../api/live/load-part.ts';
import { Button } from '../../design/Button.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { ArgumentField } from './ArgumentField.tsx';
import { CommandLine } from './CommandLine.tsx';
import { type CallProblems, callChecker, NO_PROBLEMS, noticesOf } from './check-call.ts';
import { fileProblem } from './file-problem.ts';
import { acceptsEmpty, type RunFiles, type RunValues, withValue } from './run-values.ts';

interface RunFormProps {
  readonly endpoint: WireEndpoint;
  readonly values: RunValues;
  readonly onValues: (values: RunValues) => void;
  /** Only with `onFiles`: the form can send files. */
  readonly files?: RunFiles;
  readonly onFiles?: (files: RunFiles) => void;
  readonly onRun: (values: RunValues) => void;
  readonly isPending: boolean;
  /** The refusal of the last run. */
  readonly refused: CallProblems;
  /** Why the endpoint cannot run. */
  readonly why?: string | undefined;
}

/** The form with the arguments of an endpoint and a preview of its command. */
export function RunForm({ endpoint, values, onValues, onRun, ...props }: RunFormProps) {
  const { files = NO_FILES, onFiles, isPending, refused, why } = props;
  const hasEngine = usePatternEngine(endpoint);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the engine of patterns arrives later
  const check = useMemo(() => callChecker(endpoint), [endpoint, hasEngine]);
  const notices = useMemo(() => noticesOf(endpoint), [endpoint]);
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const form = useRef<HTMLFormElement>(null);
  const problems = withFileProblems(check(values), endpoint, files);
  const run = (event?: FormEvent) => {
    event?.preventDefault();
    setWasSubmitted(true);
    if (problems.byArgument.size + problems.others.length === 0) {
      if (!isPending && why === undefined) onRun(values);
      return;
    }
    queueMicrotask(() =>
      form.current?.querySelector<HTMLElement>('[data-invalid] :is(input,select,textarea)')?.focus(),
    );
  };
  const shown = wasSubmitted ? problems : NO_PROBLEMS;
  const others = [...shown.others, ...refused.others];
  return (
    <form
      ref={form}
      onSubmit={run}
      noValidate
      className="flex flex-col gap-3"
      aria-label={`Run ${endpoint.slug}`}
    >
      {endpoint.args.length > 0 && (
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          {endpoint.args.map((argument) => {
            const { name } = argument;
            const isShown = wasSubmitted || touched.has(name);
            return (
              <ArgumentField
                key={name}
                argument={argument}
                endpoint={endpoint}
                values={values}
                value={values.get(name)}
                onChange={(value) => {
                  setTouched(new Set(touched).add(name));
                  onValues(withValue(values, name, value));
                }}
                problem={
                  (isShown ? problems.byArgument.get(name) : undefined) ?? refused.byArgument.get(name)
                }
                notice={notices.get(name)}
                mayBeEmpty={
                  acceptsEmpty(argument) && !check(withValue(values, name, '')).byArgument.has(name)
                }
                onEnter={run}
                onFile={
                  onFiles &&
                  ((file) => {
                    setTouched(new Set(touched).add(name));
                    onFiles(withValue(files, name, file));
                  })
                }
              />
            );
          })}
        </div>
      )}
      <div className="rounded bg-sunken px-3 py-2">
        <CommandLine endpoint={endpoint} values={shownValues(values, files)} />
      </div>
      <div>
        <Button
          kind={endpoint.agent_status === 'offline' ? 'quiet' : 'primary'}
          type="submit"
          isPending={isPending}
          why={why}
        >
          {isPending ? 'Starting…' : `Run ${endpoint.slug}`}
        </Button>
      </div>
      {others.length > 0 && (
        <div role="alert" className="text-bad wrap-anywhere">
          {others.join(' ')}
        </div>
      )}
    </form>
  );
}

const NO_FILES: RunFiles = new Map();

function withFileProblems(problems: CallProblems, { args }: WireEndpoint, files: RunFiles): CallProblems {
  const found = args.flatMap((argument): [string, string][] => {
    const problem = argument.type === 'file' ? fileProblem(argument, files) : undefined;
    return problem === undefined ? [] : [[argument.name, problem]];
  });
  return { ...problems, byArgument: new Map([...problems.byArgument, ...found]) };
}

/** The preview shows the name of a chosen file; the command gets the path of its copy. */
function shownValues(values: RunValues, files: RunFiles): RunValues {
  return new Map([...values, ...[...files].map(([name, file]) => [name, file.name] as const)]);
}

/** Loads the engine of patterns for an endpoint that has one; true once patterns are checked. */
function usePatternEngine({ args }: WireEndpoint): boolean {
  const [hasEngine, setHasEngine] = useState(false);
  const isNeeded = args.some(({ pattern }) => pattern !== undefined);
  useEffect(() => {
    if (!isNeeded) return;
    loadPart(() => import('../real-pattern-engine.ts')).then(
      () => setHasEngine(true),
      // The hub checks the values.
      () => undefined,
    );
  }, [isNeeded]);
  return hasEngine;
}
