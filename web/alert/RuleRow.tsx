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
import { CHANNEL_WORDS } from './rule-words.ts';

interface RuleRowProps {
  readonly rule: Item<'listAlerts'>;
  readonly onEdit: () => void;
  readonly onSecret: (secret: string) => void;
}

export function RuleRow({ rule, onEdit, onSecret }: RuleRowProps) {
  const { id, name, events, endpoint, agent, channel, target, enabled } = rule;
  const change = useAction('changeAlert', { changes: ['listAlerts'] });
  return (
    <>
      <Row
        title={<Visible text={name} />}
        facts={[
          <>
            {CHANNEL_WORDS[channel]} <Visible text={target} />
          </>,
          events.join(', '),
          endpoint !== null && `only ${endpoint}`,
          agent !== null && `only the agent ${agent}`,
        ]}
        actions={
          <>
            <div className="px-3">
              <Toggle
                label={`Tell ${name}`}
                isLabelHidden
                isOn={enabled}
                onChange={(isOn) => change.mutate({ parameters: { id }, body: { enabled: isOn } })}
              />
            </div>
            <RuleActions rule={rule} onEdit={onEdit} onSecret={onSecret} />
          </>
        }
      />
      <div className="pb-2">
        <Disclosure summary={<span className="text-sm text-soft">What was sent</span>}>
          <RuleDeliveries id={id} />
        </Disclosure>
      </div>
    </>
  );
}

function RuleActions({ rule: { id, name, channel }, onEdit, onSecret }: RuleRowProps) {
  const [isAsked, setIsAsked] = useState(false);
  const test = useAction('testAlert', {
    changes: ['listAlertDeliveries'],
    told: () => `A test is on its way to ${name}; what was sent says what came of it`,
  });
  const rotate = useAction('rotateAlertSecret', { onDone: ({ secret }) => onSecret(secret) });
  const remove = useAction('deleteAlert', {
    changes: ['listAlerts'],
    told: () => `The alert rule ${name} is deleted`,
    onDone: () => setIsAsked(false),
  });
  const parameters = { id };
  return (
    <>
      <Button
        kind="plain"
        isPending={test.isPending}
        onClick={() => test.mutate({ parameters })}
        aria-label={`Send a test to ${name}`}
      >
        Send a test
      </Button>
      <Button kind="plain" onClick={onEdit} aria-label={`Change ${name}`}>
        Change
      </Button>
      {channel === 'webhook' && (
        <Button
          kind="plain"
          isPending={rotate.isPending}
          onClick={() => rotate.mutate({ parameters })}
          aria-label={`Make a new secret for ${name}`}
        >
          New secret
        </Button>
      )}
      <Button
        kind="plain"
        className="text-bad"
        onClick={() => setIsAsked(true)}
        aria-label={`Delete ${name}`}
      >
        Delete
      </Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete the alert rule ${name}?`}
        action="Delete rule"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate({ parameters })}
      >
        <p>Its log goes with it, and so does what still waits to be sent.</p>
      </Confirm>
    </>
  );
}
