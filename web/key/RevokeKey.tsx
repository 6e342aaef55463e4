import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Confirm } from '../design/overlay/Confirm.tsx';

interface RevokeKeyProps {
  readonly apiKey: Item<'listApiKeys'>;
  readonly onClose: () => void;
}

export function RevokeKey({ apiKey: { id, name }, onClose }: RevokeKeyProps) {
  const revoke = useAction('revokeApiKey', {
    changes: ['listApiKeys'],
    doneMessage: () => `Key ${name} revoked`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke key ${name}?`}
      action="Revoke key"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate({ parameters: { id } })}
    >
      <p>Calls with this key are refused at once, and its open streams end. You cannot undo this.</p>
    </Confirm>
  );
}
