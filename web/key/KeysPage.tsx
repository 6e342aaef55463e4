import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Item, readPages } from '../api/read.ts';
import { Button } from '../design/Button.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { KeyRow } from './KeyRow.tsx';
import { MadeKey } from './MadeKey.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { RevokeKey } from './RevokeKey.tsx';
import { RotateKeyDialog } from './RotateKeyDialog.tsx';

type Key = Item<'listApiKeys'>;

/** API keys: members see their own, owner and admins all (reference 5). */
export function KeysPage() {
  const query = useInfiniteQuery(readPages('listApiKeys'));
  const [isCreating, setIsCreating] = useState(false);
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
      {isCreating && <NewKeyDialog onClose={() => setIsCreating(false)} onCreated={setToken} />}
      {rotated && (
        <RotateKeyDialog apiKey={rotated} onClose={() => setRotated(undefined)} onCreated={setToken} />
      )}
      {revoked && <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
      <MadeKey token={token} onClose={() => setToken(undefined)} />
    </Page>
  );
}
