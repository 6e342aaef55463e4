import { useInfiniteQuery } from '@tanstack/react-query';
import { useMay } from '../account/account.ts';
import { readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page, Section } from '../design/Page.tsx';
import { AgentRow } from './AgentRow.tsx';
import { AgentTokens } from './AgentTokens.tsx';

/** The machines that run commands, and the tokens with which they connect. */
export function AgentsPage() {
  const query = useInfiniteQuery(readPages('listAgents'));
  const can = useMay('agent.manage');
  return (
    <Page
      title="Agents"
      about="An agent connects from your machine to this hub, registers the endpoints in its svc.yaml and runs their commands. It opens no port."
    >
      <Section title="Agents (last 30 days)">
        <QueryList
          query={query}
          what="agents"
          idOf={({ id }) => id}
          row={(agent) => <AgentRow agent={agent} />}
          empty={
            <Empty title="No agent has connected yet">
              <p>Create a token below and start an agent with it. The agent appears here.</p>
            </Empty>
          }
        />
      </Section>
      <Section title="Agent tokens">
        {can.ok ? <AgentTokens /> : <Locked title="You can't view agent tokens" reason={can.reason} />}
      </Section>
    </Page>
  );
}
