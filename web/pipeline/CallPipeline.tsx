import { CodeBlock } from '../design/text/Code.tsx';
import type { WirePipeline } from './graph/wire-pipeline.ts';
import { pipelineCurl } from './pipeline-curl.ts';

/** The call that starts a run, and the setup of a webhook sender. */
export function CallPipeline({ pipeline }: { readonly pipeline: WirePipeline }) {
  const { trigger, url, has_secret: hasSecret } = pipeline;
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <CodeBlock text={pipelineCurl(pipeline)} copyLabel="Copy call" />
      <p className="text-soft">
        The response streams the output of each step. Send <code>Accept: application/json</code> for one
        object at the end, or <code>Prefer: respond-async</code> for the run ID at once.
      </p>
      {trigger.type === 'webhook' && (
        <div className="flex flex-col gap-2">
          <h3 className="font-semibold">GitHub webhook</h3>
          <ol className="list-decimal pl-5">
            <li>
              Payload URL: <code className="wrap-anywhere">{url}</code>
            </li>
            <li>
              Content type: <code>application/json</code>
            </li>
            <li>
              {hasSecret
                ? 'Secret: the secret of the trigger. A valid signature replaces the API key.'
                : 'Set a secret for the trigger first. Without one, calls need an API key.'}
            </li>
          </ol>
          <p className="text-soft">Standard Webhooks senders work the same way.</p>
        </div>
      )}
    </div>
  );
}
