import { useState } from 'react';
import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';

const OVERLAPS = [
  { value: '0', label: 'No longer' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
] as const;

type Overlap = (typeof OVERLAPS)[number]['value'];

interface RotateKeyDialogProps {
  readonly apiKey: Item<'listApiKeys'>;
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}

/** Replaces the token of a key; its endpoints and expiry stay. */
export function RotateKeyDialog({ apiKey: { id, name }, onClose, onCreated }: RotateKeyDialogProps) {
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const rotate = useAction('rotateApiKey', {
    changes: ['listApiKeys'],
    onDone: ({ token }) => {
      onClose();
      onCreated(token);
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title={`Rotate key ${name}`}>
      <p className="mb-3 text-soft">The key gets a new token. Its endpoints and its expiry stay the same.</p>
      <Select label="Old token keeps working for" options={OVERLAPS} value={overlap} onChange={setOverlap} />
      <div className="mt-4 flex justify-between gap-4">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          isPending={rotate.isPending}
          onClick={() => rotate.mutate({ parameters: { id }, body: { overlap_s: Number(overlap) } })}
        >
          Rotate key
        </Button>
      </div>
    </Dialog>
  );
}
