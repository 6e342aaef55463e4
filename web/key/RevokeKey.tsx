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
    told: () => `The key ${name} is revoked`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke the key ${name}?`}
      action="Revoke key"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate({ parameters: { id } })}
    >
      <p>
        Whoever calls with it is refused from that moment on, and what it reads now ends. It cannot be undone.
      </p>
    </Confirm>
  );
}
