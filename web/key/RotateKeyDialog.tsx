import { useState } from 'react';
import type { Item } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';

const OVERLAPS = [
  { value: '0', label: 'It ends at once' },
  { value: '3600', label: 'One hour more' },
  { value: '86400', label: 'One day more' },
  { value: '604800', label: 'Seven days more' },
] as const;

type Overlap = (typeof OVERLAPS)[number]['value'];

interface RotateKeyDialogProps {
  readonly apiKey: Item<'listApiKeys'>;
  readonly onClose: () => void;
  readonly onMade: (token: string) => void;
}

/** Another token for the same key: what it may call stays. */
export function RotateKeyDialog({ apiKey: { id, name }, onClose, onMade }: RotateKeyDialogProps) {
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const rotate = useAction('rotateApiKey', {
    changes: ['listApiKeys'],
    onDone: ({ token }) => {
      onClose();
      onMade(token);
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title={`Rotate the key ${name}`}>
      <p className="mb-3 text-soft">
        It gets another token. What it may call and when it expires stay as they are.
      </p>
      <Select label="The token of before" options={OVERLAPS} value={overlap} onChange={setOverlap} />
      <div className="mt-4 flex justify-between gap-4">
        <Button onClick={onClose}>Leave it</Button>
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
