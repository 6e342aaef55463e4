import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { CodeBlock } from '../design/text/Code.tsx';
import { snippetCall } from '../endpoint/snippet/snippet-call.ts';
import { SNIPPETS } from '../endpoint/snippet/snippets.ts';
import { sampleValues } from './sample-values.ts';

interface KeyStepProps {
  readonly isDone: boolean;
  /** It is the one to do now. */
  readonly isCurrent: boolean;
}

/** A key, once, and a line that calls the first endpoint with it. */
export function KeyStep({ isDone, isCurrent }: KeyStepProps) {
  const { data } = useQuery(read('listEndpoints', { query: { limit: 1 } }));
  const create = useAction('makeApiKey', { changes: ['listApiKeys'] });
  const [endpoint] = data?.items ?? [];
  const key = create.data?.token;
  if (key === undefined) {
    return (
      <>
        <p className="max-w-prose text-soft">
          {isDone
            ? 'There is a key already. Whoever has one calls your endpoints with it, from any program.'
            : 'Programs call your endpoints with a key, in the header X-API-Key.'}
        </p>
        <div>
          <Button
            kind={isCurrent ? 'primary' : 'quiet'}
            isPending={create.isPending}
            onClick={() => create.mutate({ body: { name: isDone ? 'another key' : 'first key' } })}
          >
            {isDone ? 'Make another key' : 'Make an API key'}
          </Button>
        </div>
      </>
    );
  }
  const call = endpoint && SNIPPETS.curl.write(snippetCall(endpoint, sampleValues(endpoint), 'stream'));
  return (
    <>
      <p>The key is shown only here, only now.</p>
      <CodeBlock text={key} copyLabel="Copy the key" />
      {call !== undefined && (
        <>
          <p>Call {endpoint?.slug} with it, from any terminal:</p>
          <CodeBlock text={`export SVC_API_KEY=${key}\n${call}`} copyLabel="Copy the call" />
        </>
      )}
    </>
  );
}
