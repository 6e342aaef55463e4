import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Disclosure } from '../design/Disclosure.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { CallbackDeliveries } from './Deliveries.tsx';

/** What `callback_url` of endpoints is sent, and what it is signed with. */
export function Callbacks({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const [isAsked, setIsAsked] = useState(false);
  const rotate = useAction('rotateCallbackSecret', {
    onDone: ({ secret }) => {
      setIsAsked(false);
      onSecret(secret);
    },
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="max-w-prose text-soft">
        An endpoint with <code>callback_url</code> tells it of the end of each execution. Callbacks are signed
        from the first secret on.
      </p>
      <Button onClick={() => setIsAsked(true)}>Make a new secret for callbacks</Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title="Make a new secret for callbacks?"
        action="Make the secret"
        isHarmless
        isPending={rotate.isPending}
        onConfirm={() => rotate.mutate(undefined)}
      >
        <p>Callbacks are signed with it from now on. The one before it signs along for 24 hours.</p>
      </Confirm>
      <Disclosure summary={<span className="text-sm text-soft">What was sent</span>}>
        <CallbackDeliveries />
      </Disclosure>
    </div>
  );
}
