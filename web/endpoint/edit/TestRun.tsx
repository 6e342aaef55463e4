import { ApiError } from '@svc/core/api/client/api-error';
import { Suspense, useEffect, useState } from 'react';
import { type api, closingApi } from '../../api/client.ts';
import { lazyPart } from '../../api/live/load-part.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../design/Button.tsx';
import { Loading } from '../../design/list/Loading.tsx';
import { Problem } from '../../design/list/Problem.tsx';
import { Dialog } from '../../design/overlay/Dialog.tsx';
import { NO_PROBLEMS, problemsOf } from '../run/check-call.ts';
import { RunForm } from '../run/RunForm.tsx';
import { executionBody, type RunValues } from '../run/run-values.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { draftedDefinition } from './drafted-definition.ts';
import type { EndpointDraft } from './endpoint-draft.ts';

const ExecutionOutput = lazyPart(
  async () => (await import('../../execution/ExecutionOutput.tsx')).ExecutionOutput,
);

interface TestRunProps {
  readonly draft: EndpointDraft;
  readonly why: string | undefined;
  /** Shows the problems of the draft; returns whether it can be run. */
  readonly onCheck: () => boolean;
}

/** Runs a command before its endpoint is created: as a temporary endpoint, which is deleted when the dialog closes. */
export function TestRun({ draft, why, onCheck }: TestRunProps) {
  const [tested, setTested] = useState<WireEndpoint>();
  const create = useAction('createEndpoint', {
    isProblemShown: true,
    onDone: (endpoint) => setTested(endpoint as WireEndpoint),
  });
  const begin = () => {
    if (onCheck()) create.mutate({ body: testedDefinition(draft) });
  };
  return (
    <>
      <Button why={why} isPending={create.isPending} onClick={begin}>
        Test run
      </Button>
      {create.error && <Problem error={create.error} />}
      <Dialog
        isOpen={tested !== undefined}
        onClose={() => setTested(undefined)}
        title={`Test run of ${draft.name || 'the command'}`}
        isWide
      >
        {tested && <Tested key={tested.slug} endpoint={tested} />}
      </Dialog>
    </>
  );
}

type NewEndpoint = Parameters<typeof api.createEndpoint>[0]['body'];

/** The command and its environment; only this person can call it, and nothing happens by itself. */
function testedDefinition(draft: EndpointDraft): NewEndpoint {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return draftedDefinition({
    ...draft,
    name: `test-${random.toString(36)}`,
    schedule: '',
    public: false,
    approval_required: false,
    callback_url: '',
  }) as NewEndpoint;
}

function Tested({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const [values, setValues] = useState<RunValues>(new Map());
  const run = useAction('startExecution', { changes: ['listExecutions'], isProblemShown: true });
  const id = run.data?.execution_id;
  useRemovalOf(endpoint.slug, id);
  return (
    // The dialog is inside the form of the endpoint for React: to run must not save.
    <div className="flex flex-col gap-4" onSubmit={(event) => event.stopPropagation()}>
      <p className="text-soft">
        Runs on agent {endpoint.agent_name} as {endpoint.slug}, which is deleted when you close this. The
        execution stays in the history.
      </p>
      <RunForm
        endpoint={endpoint}
        values={values}
        onValues={setValues}
        onRun={(given) => run.mutate({ body: executionBody(endpoint.slug, given) })}
        isPending={run.isPending}
        refused={run.error === null ? NO_PROBLEMS : refusalOf(run.error)}
      />
      {id !== undefined && (
        <div className="h-72">
          <Suspense fallback={<Loading what="the output" />}>
            <ExecutionOutput key={id} executionId={id} slug={endpoint.slug} />
          </Suspense>
        </div>
      )}
    </div>
  );
}

function refusalOf(error: Error) {
  return error instanceof ApiError ? problemsOf(error) : { byArgument: new Map(), others: [error.message] };
}

/** Ends the test run and deletes its endpoint when the dialog is left, also by closing the tab. */
function useRemovalOf(slug: string, executionId: string | undefined): void {
  useEffect(() => {
    const leave = () => {
      if (executionId !== undefined)
        void closingApi.cancelExecution({ parameters: { id: executionId } }).catch(ignore);
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [executionId]);
  useEffect(() => {
    const remove = () => void closingApi.deleteEndpoint({ parameters: { name: slug } }).catch(ignore);
    addEventListener('pagehide', remove);
    return () => {
      removeEventListener('pagehide', remove);
      remove();
    };
  }, [slug]);
}

/** An execution that has ended cannot be cancelled, and an endpoint that is gone needs no deletion. */
function ignore(): void {}
