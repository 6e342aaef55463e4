import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Disclosure } from '../design/Disclosure.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { CallbackDeliveries } from './Deliveries.tsx';

/** The signing secret and the deliveries of callbacks, the requests to `callback_url` of endpoints. */
export function Callbacks({ onSecret }: { readonly onSecret: (secret: string) => void }) {
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
