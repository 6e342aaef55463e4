import { useInfiniteQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../api/live/load-part.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { Page, Section } from '../design/Page.tsx';
import { AiClientList } from './AiClientList.tsx';
import { KeyRow } from './KeyRow.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { ServiceAccountSection } from './ServiceAccountSection.tsx';

const ConnectClient = lazyPart(async () => (await import('./ConnectClient.tsx')).ConnectClient);

type Key = Item<'listApiKeys'>;

/** API keys: members see their own, owner and admins all (reference 5). */
export function KeysPage() {
  const query = useInfiniteQuery(readPages('listApiKeys'));
  const [isCreating, setIsCreating] = useState(false);
  const [isConnecting, setIsConnecting] = useState(false);
  const [rotated, setRotated] = useState<Key>();
  const [revoked, setRevoked] = useState<Key>();
  const [token, setToken] = useState<string>();
  return (
    <Page
      title="API keys"
      about="Callers send a key in the X-API-Key header. You can limit a key to some endpoints. A key stops working when its creator leaves the team."
      actions={
        <Button kind="primary" onClick={() => setIsCreating(true)}>
          Create API key
        </Button>
      }
    >
      <QueryList
        query={query}
        what="API keys"
        idOf={({ id }) => id}
        row={(key) => (
          <KeyRow apiKey={key} onRotate={() => setRotated(key)} onRevoke={() => setRevoked(key)} />
        )}
        empty={
          <Empty title="No API keys yet">
            <p>Programs use a key to call endpoints that are not public.</p>
            <Button kind="primary" onClick={() => setIsCreating(true)}>
              Create API key
            </Button>
          </Empty>
        }
      />
      <Section
        title="AI clients"
        aside={<Button onClick={() => setIsConnecting(true)}>Connect an AI client</Button>}
      >
        <AiClientList />
      </Section>
      <ServiceAccountSection onKeyCreated={setToken} />
      <Suspense>{isConnecting && <ConnectClient onClose={() => setIsConnecting(false)} />}</Suspense>
      {isCreating && <NewKeyDialog onClose={() => setIsCreating(false)} onCreated={setToken} />}
      {rotated && (
        <RotateKeyDialog apiKey={rotated} onClose={() => setRotated(undefined)} onCreated={setToken} />
      )}
      {revoked && <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
      <MadeKey token={token} onClose={() => setToken(undefined)} />
    </Page>
  );
}

interface MadeKeyProps {
  readonly token: string | undefined;
  readonly onClose: () => void;
}

function MadeKey({ token, onClose }: MadeKeyProps) {
  return (
    <ShownOnce token={token} what="API key" onClose={onClose}>
      <p>
        Send the key in the <code>X-API-Key</code> header. The API tab of each endpoint shows the call in
        curl, JavaScript, Python and the svc CLI.
      </p>
    </ShownOnce>
  );
}

interface RevokeKeyProps {
  readonly apiKey: Item<'listApiKeys'>;
  readonly onClose: () => void;
}

function RevokeKey({ apiKey: { id, name }, onClose }: RevokeKeyProps) {
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
function RotateKeyDialog({ apiKey: { id, name }, onClose, onCreated }: RotateKeyDialogProps) {
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
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          isPending={rotate.isPending}
          onClick={() => rotate.mutate({ parameters: { id }, body: { overlap_s: Number(overlap) } })}
        >
          Rotate key
        </Button>
      </DialogActions>
    </Dialog>
  );
}
