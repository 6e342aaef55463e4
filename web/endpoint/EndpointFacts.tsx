import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../api/read.ts';
import { StateMark } from '../design/state/StateMark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { CopyButton } from '../design/text/CopyButton.tsx';
import { UrlText } from '../design/text/UrlText.tsx';
import { Time } from '../design/time/Time.tsx';
import { setSpan } from '../design/time/time-words.ts';
import { traitsOf } from './list/traits.ts';
import type { WireEndpoint } from './wire-endpoint.ts';

/** The URL, the agent and the traits of an endpoint. */
export function EndpointFacts({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { url, agent_name: agent, agent_status: status, version } = endpoint;
  return (
    <div className="-mt-4 flex flex-col gap-1">
      <div className="flex min-w-0 items-center gap-2">
        <UrlText url={url} />
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
        <span>timeout {setSpan(endpoint.timeout * 1_000)}</span>
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
          Agent <Visible text={agent} /> is offline
          <LastSeen agent={agent} />. Runs are refused until it connects.{' '}
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

const MAX_AGENTS = 100;

/** When and on which machine the agent was last connected, if the hub still knows it. */
function LastSeen({ agent }: { readonly agent: string }) {
  const { data } = useQuery(read('listAgents', { query: { limit: MAX_AGENTS } }));
  const last = data?.items
    .filter(({ name }) => name === agent)
    .toSorted((a, b) => Date.parse(b.last_seen_at) - Date.parse(a.last_seen_at))[0];
  if (last === undefined) return null;
  return (
    <>
      {' '}
      (last seen <Time at={last.last_seen_at} /> on <Visible text={last.host.hostname} />)
    </>
  );
}
