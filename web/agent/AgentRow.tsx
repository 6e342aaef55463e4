import type { Item } from '../api/read.ts';
import { Row } from '../design/list/Row.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

export function AgentRow({ agent }: { readonly agent: Item<'listAgents'> }) {
  const { name, status, host, version, local_only, running, endpoints, last_seen_at, connected_at } = agent;
  return (
    <Row
      title={
        <span className="flex flex-wrap items-baseline gap-x-3">
          <code>{name}</code>
          <span className="font-normal">
            <StateMark state={status} />
          </span>
        </span>
      }
      facts={[
        connected_at === null ? (
          <>
            last seen <Time at={last_seen_at} />
          </>
        ) : (
          <>
            since <Time at={connected_at} />
          </>
        ),
        running > 0 && <span className="text-running">{running} running</span>,
        endpoints.length === 1 ? '1 endpoint' : `${endpoints.length} endpoints`,
        <>
          <Visible text={host.hostname} />, {host.os} {host.arch}, svc {version}
        </>,
        local_only && 'runs only its svc.yaml (--local-only)',
      ]}
    />
  );
}
