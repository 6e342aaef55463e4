import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { StateMark } from '../design/state/StateMark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { CopyButton } from '../design/text/CopyButton.tsx';
import { roughSpan } from '../design/time/time-words.ts';
import { traitsOf } from './list/traits.ts';
import type { WireEndpoint } from './wire-endpoint.ts';

/** The URL, the agent and the traits of an endpoint. */
export function EndpointFacts({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { url, agent_name: agent, agent_status: status, version } = endpoint;
  return (
    <div className="-mt-4 flex flex-col gap-1">
      <div className="flex min-w-0 items-center gap-2">
        <code className="wrap-anywhere">
          {url.split(/(?<=\/)/).map((part, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an address keep their order
            <Fragment key={place}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </code>
        <CopyButton text={url} label="Copy URL" isShort />
      </div>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-soft">
        <span className="inline-flex items-center gap-2">
          <StateMark state={status === 'online' ? 'online' : 'offline'} />
          <span>
            agent <Visible text={agent} />
          </span>
        </span>
        {traitsOf(endpoint).map((trait) => (
          <span key={trait}>{trait}</span>
        ))}
        <span>timeout {roughSpan(endpoint.timeout * 1_000)}</span>
        <span>version {version}</span>
      </p>
      {endpoint.waits_for.map(({ secret, kind, reason }) => (
        <p key={`${secret} ${kind}`} className="text-sm text-waiting">
          Calls are refused: <Visible text={reason} />{' '}
          <Link to="/secrets" className="underline">
            Review
          </Link>
        </p>
      ))}
      {status === 'offline' && (
        <p role="note" className="text-sm text-waiting">
          Agent <Visible text={agent} /> is offline. Runs are refused until it connects.{' '}
          <Link to="/agents" className="underline">
            See agents
          </Link>
        </p>
      )}
      {status === 'local_only' && (
        <p className="text-sm text-waiting">
          The agent was started with --local-only and refuses this endpoint.
        </p>
      )}
    </div>
  );
}
