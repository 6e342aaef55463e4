import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Disclosure } from '../design/Disclosure.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { Page, Section } from '../design/Page.tsx';
import { CallbackDeliveries } from './Deliveries.tsx';
import { RuleDialog } from './RuleDialog.tsx';
import { RuleRow } from './RuleRow.tsx';

/** Alert rules, their deliveries, and the callbacks of endpoints (decision 39, alerts). */
export function AlertsPage() {
  const can = useMay('endpoint.edit');
  const [edited, setEdited] = useState<Item<'listAlerts'> | 'new'>();
  const [secret, setSecret] = useState<string>();
  return (
    <Page
      title="Alerts"
      about="Send events to a webhook, Slack or email. Failed deliveries are retried 8 times over 24 hours."
      actions={
        <Button kind="primary" onClick={() => setEdited('new')} why={can.ok ? undefined : can.reason}>
          Create alert rule
        </Button>
      }
    >
      {can.ok ? (
        <>
          <Rules onEdit={setEdited} onSecret={setSecret} />
          <Section title="Endpoint callbacks">
            <Callbacks onSecret={setSecret} />
          </Section>
        </>
      ) : (
        <Locked title="You can't view alert rules" reason={can.reason} />
      )}
      {edited && <RuleDialog edited={edited} onClose={() => setEdited(undefined)} onSecret={setSecret} />}
      <ShownOnce token={secret} what="signing secret" onClose={() => setSecret(undefined)}>
        <p>
          The receiver verifies the <code>webhook-signature</code> header with this secret (Standard
          Webhooks).
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
        <Empty title="No alert rules yet">
          <p>Get alerts about failed executions, missed schedules, offline agents and pending approvals.</p>
          <Button kind="primary" onClick={() => onEdit('new')}>
            Create alert rule
          </Button>
        </Empty>
      }
    />
  );
}

/** The signing secret and the deliveries of callbacks, the requests to `callback_url` of endpoints. */
function Callbacks({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const rotate = useAction('rotateCallbackSecret', {
    onDone: ({ secret }) => {
      setIsDialogOpen(false);
      onSecret(secret);
    },
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="max-w-prose text-soft">
        An endpoint with a <code>callback_url</code> sends a request there when an execution ends. Callbacks
        are signed once you create a secret.
      </p>
      <Button onClick={() => setIsDialogOpen(true)}>Create callback secret</Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title="Create a new callback secret?"
        action="Create secret"
        isHarmless
        isPending={rotate.isPending}
        onConfirm={() => rotate.mutate(undefined)}
      >
        <p>New callbacks are signed with the new secret, and for 24 hours also with the previous one.</p>
      </Confirm>
      <Disclosure summary={<span className="text-sm text-soft">Deliveries</span>}>
        <CallbackDeliveries />
      </Disclosure>
    </div>
  );
}
