import { ApiError } from '@svc/core/api/client/api-error';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';
import { useMay } from '../../account/account.ts';
import { read } from '../../api/read.ts';
import { problemWords } from '../../api/refusal-words.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { type CallProblems, NO_PROBLEMS, problemsOf } from '../../endpoint/run/check-call.ts';
import { RunForm } from '../../endpoint/run/RunForm.tsx';
import { executionBody, type RunValues } from '../../endpoint/run/run-values.ts';

interface RunEndpointProps {
  readonly slug: string;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** The run form of the chosen endpoint; Enter runs it and opens its execution. */
export function RunEndpoint({ slug, onBack, onClose }: RunEndpointProps) {
  const { data: endpoint, error } = useQuery(read('showEndpoint', { parameters: { name: slug } }));
  const [values, setValues] = useState<RunValues>(new Map());
  const navigate = useNavigate();
  const allowed = useMay('endpoint.execute');
  const run = useAction('startExecution', {
    changes: ['listExecutions'],
    isProblemShown: true,
    onDone({ execution_id: id }) {
      onClose();
      void navigate({ to: '/executions/$id', params: { id } });
    },
  });
  const section = useRef<HTMLDivElement>(null);
  const isLoaded = endpoint !== undefined;
  // A layout effect, so that a letter typed right after the render goes into the form.
  useLayoutEffect(() => {
    const form = section.current;
    if (!isLoaded || form === null) return;
    form.querySelector<HTMLElement>('input, select, textarea, button[type=submit]')?.focus();
  }, [isLoaded]);
  return (
    <div ref={section} className="flex flex-col gap-4 overflow-y-auto p-4">
      <div className="flex items-center justify-between gap-4">
        <h2 className="text-lg font-semibold">
          Run <code>{slug}</code>
        </h2>
        <div className="flex gap-1">
          <Link
            to="/endpoints/$name"
            params={{ name: slug }}
            onClick={onClose}
            className="px-3 py-1 text-accent hover:underline"
          >
            Open endpoint
          </Link>
          <Button kind="plain" onClick={onBack}>
            Back
          </Button>
        </div>
      </div>
      {error && <Problem error={error} />}
      {!isLoaded && !error && <Loading what={`the endpoint ${slug}`} />}
      {endpoint && (
        <RunForm
          endpoint={endpoint}
          values={values}
          onValues={(next) => {
            run.reset();
            setValues(next);
          }}
          onRun={(given) => run.mutate({ body: executionBody(slug, given) })}
          isPending={run.isPending}
          refused={run.error ? refusalOf(run.error) : NO_PROBLEMS}
          why={allowed.ok ? undefined : allowed.reason}
        />
      )}
    </div>
  );
}

function refusalOf(error: Error): CallProblems {
  if (error instanceof ApiError) return problemsOf(error);
  return { byArgument: new Map(), others: [problemWords(error).title] };
}
