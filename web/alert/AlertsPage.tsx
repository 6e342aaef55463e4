import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { type Item, readPages } from '../api/read.ts';
import { Button } from '../design/Button.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { Page, Section } from '../design/Page.tsx';
import { Callbacks } from './Callbacks.tsx';
import { RuleDialog } from './RuleDialog.tsx';
import { RuleRow } from './RuleRow.tsx';

/** Who is told of what happens, and what came of it (decision 39). */
export function AlertsPage() {
  const can = useMay('endpoint.edit');
  const [edited, setEdited] = useState<Item<'listAlerts'> | 'new'>();
  const [secret, setSecret] = useState<string>();
  return (
    <Page
      title="Alerts"
      about="A rule tells a webhook, a chat or a member by mail. What cannot be delivered is tried eight times over a day."
      actions={
        <Button kind="primary" onClick={() => setEdited('new')} why={can.ok ? undefined : can.reason}>
          Make an alert rule
        </Button>
      }
    >
      {can.ok ? (
        <>
          <Rules onEdit={setEdited} onSecret={setSecret} />
          <Section title="Callbacks of endpoints">
            <Callbacks onSecret={setSecret} />
          </Section>
        </>
      ) : (
        <Locked what="Alert rules" reason={can.reason} />
      )}
      {edited && <RuleDialog edited={edited} onClose={() => setEdited(undefined)} onSecret={setSecret} />}
      <ShownOnce token={secret} what="signing secret" onClose={() => setSecret(undefined)}>
        <p>
          The receiver checks the header <code>webhook-signature</code> with it, as Standard Webhooks says.
        </p>
      </ShownOnce>
    </Page>
  );
}

interface RulesProps {
  readonly onEdit: (rule: Item<'listAlerts'> | 'new') => void;
  readonly onSecret: (secret: string) => void;
}

function Rules({ onEdit, onSecret }: RulesProps) {
  const query = useInfiniteQuery(readPages('listAlerts'));
  return (
    <QueryList
      query={query}
      what="alert rules"
      idOf={({ id }) => id}
      row={(rule) => <RuleRow rule={rule} onEdit={() => onEdit(rule)} onSecret={onSecret} />}
      rowHeight={72}
      empty={
        <Empty title="Nobody is told of anything yet">
          <p>Hear of failed executions, missed schedules, agents that go away, or calls that wait for you.</p>
          <Button kind="primary" onClick={() => onEdit('new')}>
            Make the first alert rule
          </Button>
        </Empty>
      }
    />
  );
}
