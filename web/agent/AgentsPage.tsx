import { useInfiniteQuery } from '@tanstack/react-query';
import { useMay } from '../account/account.ts';
import { type Item, readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Page, Section } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { AgentActions, AgentTokenList } from './AgentTokenList.tsx';

/** The machines that run commands, and the tokens with which they connect. */
export function AgentsPage() {
  const query = useInfiniteQuery(readPages('listAgents'));
  const can = useMay('agent.manage');
  return (
    <Page
      title="Agents"
      about="An agent connects from your machine to this hub, registers the endpoints in its svc.yaml and runs their commands. It opens no port."
      actions={can.ok && <AgentActions />}
    >
      <Section title="Agents (last 30 days)">
        <QueryList
          query={query}
          what="agents"
          idOf={({ id }) => id}
          row={(agent) => <AgentRow agent={agent} />}
          empty={
            <Empty title="No agent has connected yet">
              <p>
                Connect a machine, or create an agent token and start an agent with it. The agent appears
                here.
              </p>
            </Empty>
          }
        />
      </Section>
      <Section title="Agent tokens">
        {can.ok ? <AgentTokenList /> : <Locked title="You can't view agent tokens" reason={can.reason} />}
      </Section>
    </Page>
  );
}

function AgentRow({ agent }: { readonly agent: Item<'listAgents'> }) {
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
