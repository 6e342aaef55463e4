import { Link } from '@tanstack/react-router';
import { StateMark } from '../../design/state/StateMark.tsx';
import { Visible } from '../../design/text/Code.tsx';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { traitsOf } from './traits.ts';

/** An endpoint in the list: name, traits, command, and the state of its agent. */
export function EndpointRow({ endpoint }: { readonly endpoint: WireEndpoint }) {
  const { slug, description, command, agent_name: agent, agent_status: status } = endpoint;
  const traits = traitsOf(endpoint);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-1 py-2">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
        <Link
          to="/endpoints/$name"
          params={{ name: slug }}
          className="font-mono font-semibold wrap-anywhere hover:text-accent hover:underline"
        >
          {slug}
        </Link>
        {endpoint.waits_for.length > 0 && <span className="text-sm text-waiting">needs admin approval</span>}
        {traits.length > 0 && <span className="text-sm text-soft">{traits.join(' · ')}</span>}
      </div>
      <div className="flex items-center gap-3 text-sm">
        <span className="hidden text-soft sm:inline">
          <Visible text={agent} />
        </span>
        <StateMark state={status === 'online' ? 'online' : 'offline'} isCompact />
      </div>
      <p className="col-span-2 truncate text-sm text-soft">
        {description === null ? (
          <code>
            <Visible text={command.slice(0, 300)} />
          </code>
        ) : (
          <Visible text={description} />
        )}
      </p>
    </div>
  );
}
