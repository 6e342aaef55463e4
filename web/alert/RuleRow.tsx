import { useState } from 'react';
import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Disclosure } from '../design/Disclosure.tsx';
import { Toggle } from '../design/form/Toggle.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Visible } from '../design/text/Code.tsx';
import { RuleDeliveries } from './Deliveries.tsx';
import { CHANNEL_WORDS, EVENT_WORDS } from './rule-words.ts';

interface RuleRowProps {
  readonly rule: Item<'listAlerts'>;
  readonly onEdit: () => void;
  readonly onSecret: (secret: string) => void;
}

export function RuleRow({ rule, onEdit, onSecret }: RuleRowProps) {
  const {
    id,
    name,
    events,
    endpoint,
    agent,
    channel,
    target,
    enabled,
    problem,
    no_success_mins: minutes,
  } = rule;
  const isDeclared = rule.source === 'config';
  const change = useAction('changeAlert', { changes: ['listAlerts'] });
  return (
    <>
      <Row
        title={<Visible text={name} />}
        facts={[
          <>
            {CHANNEL_WORDS[channel]} <Visible text={target} />
          </>,
          events.map((event) => EVENT_WORDS[event]).join(', '),
          endpoint !== null && `only ${endpoint}`,
          agent !== null && `only agent ${agent}`,
          minutes !== null && `${minutes} minutes`,
          isDeclared && 'declared in svc.yaml: edit it there',
          problem !== null && (
            <span className="text-bad">
              cannot send: <Visible text={problem} />
            </span>
          ),
        ]}
        actions={
          <>
            {!isDeclared && (
              <div className="px-3">
                <Toggle
                  label={`Send alerts of ${name}`}
                  shown={enabled ? 'On' : 'Off'}
                  isOn={enabled}
                  onChange={(isOn) => change.mutate({ parameters: { id }, body: { enabled: isOn } })}
                />
              </div>
            )}
            <RuleActions rule={rule} onEdit={onEdit} onSecret={onSecret} />
          </>
        }
      />
      <div className="pb-2">
        <Disclosure summary={<span className="text-sm text-soft">Deliveries</span>}>
          <RuleDeliveries id={id} />
        </Disclosure>
      </div>
    </>
  );
}

function RuleActions({ rule: { id, name, channel, source }, onEdit, onSecret }: RuleRowProps) {
  const isDeclared = source === 'config';
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const test = useAction('testAlert', {
    changes: ['listAlertDeliveries'],
    doneMessage: () => `Test alert queued for ${name}; see Deliveries for the result`,
  });
  const rotate = useAction('rotateAlertSecret', { onDone: ({ secret }) => onSecret(secret) });
  const remove = useAction('deleteAlert', {
    changes: ['listAlerts'],
    doneMessage: () => `Alert rule ${name} deleted`,
    onDone: () => setIsDialogOpen(false),
  });
  const parameters = { id };
  return (
    <>
      <Button
        kind="plain"
        isPending={test.isPending}
        onClick={() => test.mutate({ parameters })}
        aria-label={`Send test alert to ${name}`}
      >
        Send test
      </Button>
      {!isDeclared && (
        <Button kind="plain" onClick={onEdit} aria-label={`Edit ${name}`}>
          Edit
        </Button>
      )}
      {channel === 'webhook' && (
        <Button
          kind="plain"
          isPending={rotate.isPending}
          onClick={() => rotate.mutate({ parameters })}
          aria-label={`Create a new secret for ${name}`}
        >
          New secret
        </Button>
      )}
      {!isDeclared && (
        <Button
          kind="plain"
          className="text-bad"
          onClick={() => setIsDialogOpen(true)}
          aria-label={`Delete ${name}`}
        >
          Delete
        </Button>
      )}
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Delete alert rule ${name}?`}
        action="Delete rule"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate({ parameters })}
      >
        <p>Its delivery log and all queued deliveries are deleted too.</p>
      </Confirm>
    </>
  );
}
