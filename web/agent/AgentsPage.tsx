import { useInfiniteQuery } from '@tanstack/react-query';
import { useMay } from '../account/account.ts';
import { readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page, Section } from '../design/Page.tsx';
import { AgentRow } from './AgentRow.tsx';
import { AgentTokens } from './AgentTokens.tsx';

/** The machines that commands run on, and the tokens with which they connect. */
export function AgentsPage() {
  const query = useInfiniteQuery(readPages('listAgents'));
  const can = useMay('agent.manage');
  return (
    <Page
      title="Agents"
      about="An agent dials out from your machine, registers what is in its svc.yaml, and runs what is called. No port is opened."
    >
      <Section title="Connected, and seen in the last 30 days">
        <QueryList
          query={query}
          what="agents"
          idOf={({ id }) => id}
          row={(agent) => <AgentRow agent={agent} />}
          empty={
            <Empty title="No agent has connected yet">
              <p>Make a token below and start the agent with it: it appears here by itself.</p>
            </Empty>
          }
        />
      </Section>
      <Section title="Agent tokens">
        {can.ok ? <AgentTokens /> : <Locked what="Agent tokens" reason={can.reason} />}
      </Section>
    </Page>
  );
}
