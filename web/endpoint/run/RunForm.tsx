import { type FormEvent, useMemo, useRef, useState } from 'react';
import { Button } from '../../design/Button.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { ArgumentField } from './ArgumentField.tsx';
import { CommandLine } from './CommandLine.tsx';
import { type CallProblems, callChecker, NO_PROBLEMS, noticesOf } from './check-call.ts';
import { type RunValues, takesText, withValue } from './run-values.ts';

interface RunFormProps {
  readonly endpoint: WireEndpoint;
  readonly values: RunValues;
  readonly onValues: (values: RunValues) => void;
  readonly onRun: (values: RunValues) => void;
  readonly isPending: boolean;
  /** What the hub said about the last try. */
  readonly refused: CallProblems;
  /** Why it cannot be run. */
  readonly why?: string | undefined;
}

/** Asks for the arguments of an endpoint, shows the command as it will run, and runs it. */
export function RunForm({ endpoint, values, onValues, onRun, isPending, refused, why }: RunFormProps) {
  const check = useMemo(() => callChecker(endpoint), [endpoint]);
  const notices = useMemo(() => noticesOf(endpoint), [endpoint]);
  const [isTried, setTried] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const form = useRef<HTMLFormElement>(null);
  const problems = check(values);
  const run = (event?: FormEvent) => {
    event?.preventDefault();
    setTried(true);
    if (problems.byArgument.size + problems.others.length === 0) {
      if (!isPending && why === undefined) onRun(values);
      return;
    }
    queueMicrotask(() =>
      form.current?.querySelector<HTMLElement>('[data-invalid] :is(input,select,textarea)')?.focus(),
    );
  };
  const shown = isTried ? problems : NO_PROBLEMS;
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
            const isShown = isTried || touched.has(name);
            return (
              <ArgumentField
                key={name}
                argument={argument}
                value={values.get(name)}
                onChange={(value) => {
                  setTouched(new Set(touched).add(name));
                  onValues(withValue(values, name, value));
                }}
                problem={
                  (isShown ? problems.byArgument.get(name) : undefined) ?? refused.byArgument.get(name)
                }
                notice={notices.get(name)}
                mayBeEmpty={takesText(argument) && !check(withValue(values, name, '')).byArgument.has(name)}
                onEnter={run}
              />
            );
          })}
        </div>
      )}
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <Button kind="primary" type="submit" isPending={isPending} why={why}>
          {isPending ? 'Starting…' : `Run ${endpoint.slug}`}
        </Button>
        <div className="min-w-0 flex-1 basis-64 py-1">
          <CommandLine endpoint={endpoint} values={values} />
        </div>
      </div>
      {others.length > 0 && (
        <div role="alert" className="text-bad wrap-anywhere">
          {others.join(' ')}
        </div>
      )}
    </form>
  );
}
