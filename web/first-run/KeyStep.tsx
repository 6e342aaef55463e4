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
  /** The step is the next one to do. */
  readonly isCurrent: boolean;
}

/** A new key, shown once, and a call of the first endpoint with it. */
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
            ? 'You have a key. Programs use a key to call your endpoints.'
            : 'Programs call your endpoints with a key in the X-API-Key header.'}
        </p>
        <div>
          <Button
            kind={isCurrent ? 'primary' : 'quiet'}
            isPending={create.isPending}
            onClick={() => create.mutate({ body: { name: isDone ? 'another key' : 'first key' } })}
          >
            {isDone ? 'Create another key' : 'Create API key'}
          </Button>
        </div>
      </>
    );
  }
  const call = endpoint && SNIPPETS.curl.write(snippetCall(endpoint, sampleValues(endpoint), 'stream'));
  return (
    <>
      <p>You can't view the key again.</p>
      <CodeBlock text={key} copyLabel="Copy key" />
      {call !== undefined && (
        <>
          <p>Call {endpoint?.slug} from any terminal:</p>
          <CodeBlock text={`export SVC_API_KEY=${key}\n${call}`} copyLabel="Copy call" />
        </>
      )}
    </>
  );
}
