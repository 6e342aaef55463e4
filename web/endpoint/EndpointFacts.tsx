import { Link } from '@tanstack/react-router';
import { StateMark } from '../design/state/StateMark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { CopyButton } from '../design/text/CopyButton.tsx';
import { traitsOf } from './list/traits.ts';
import type { WireEndpoint } from './wire-endpoint.ts';

/** Where an endpoint is called, where it runs, and what is special about it. */
export function EndpointFacts({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { url, agent_name: agent, agent_status: status, version } = endpoint;
  return (
    <div className="-mt-3 flex flex-col gap-1">
      <div className="flex min-w-0 items-center gap-2">
        <code className="wrap-anywhere">{url}</code>
        <CopyButton text={url} label="Copy the URL" isShort />
      </div>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-soft">
        <span className="inline-flex items-center gap-2">
          <StateMark state={status === 'online' ? 'online' : 'offline'} />
          <span>
            on <Visible text={agent} />
          </span>
        </span>
        {traitsOf(endpoint).map((trait) => (
          <span key={trait}>{trait}</span>
        ))}
        <span>{endpoint.timeout} s at most</span>
        <span>version {version}</span>
      </p>
      {endpoint.waits_for.map(({ secret, kind, reason }) => (
        <p key={`${secret} ${kind}`} className="text-sm text-waiting">
          Calls are refused: <Visible text={reason} />{' '}
          <Link to="/secrets" className="underline">
            Decide
          </Link>
        </p>
      ))}
      {status === 'local_only' && (
        <p className="text-sm text-waiting">
          Its agent runs only what is in its own file (--local-only), and refuses this endpoint.
        </p>
      )}
    </div>
  );
}
