import { CodeBlock } from '../design/text/Code.tsx';
import type { WirePipeline } from './graph/wire-pipeline.ts';
import { pipelineCurl } from './pipeline-curl.ts';

/** The call that starts a run, and how a sender of webhooks is set up. */
export function CallPipeline({ pipeline }: { readonly pipeline: WirePipeline }) {
  const { trigger, url, has_secret: hasSecret } = pipeline;
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <CodeBlock text={pipelineCurl(pipeline)} copyLabel="Copy the call" />
      <p className="text-soft">
        The answer streams what each step prints; with <code>Accept: application/json</code> it is one object
        at the end, with <code>Prefer: respond-async</code> the id of the run, at once.
      </p>
      {trigger.type === 'webhook' && (
        <div className="flex flex-col gap-2">
          <h3 className="font-semibold">As a webhook of GitHub</h3>
          <ol className="list-decimal pl-5">
            <li>
              Payload URL: <code className="wrap-anywhere">{url}</code>
            </li>
            <li>
              Content type: <code>application/json</code>
            </li>
            <li>
              {hasSecret
                ? 'Secret: the one that is set for the trigger. A valid signature stands in for a key.'
                : 'Set a secret for the trigger first: without one, calls need a key.'}
            </li>
          </ol>
          <p className="text-soft">Senders of Standard Webhooks are taken in the same way.</p>
        </div>
      )}
    </div>
  );
}
