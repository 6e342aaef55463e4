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

/** What callers call endpoints with: every member has their own, owner and admins see all (reference 5). */
export function KeysPage() {
  const query = useInfiniteQuery(readPages('listApiKeys'));
  const [isMaking, setIsMaking] = useState(false);
  const [rotated, setRotated] = useState<Key>();
  const [revoked, setRevoked] = useState<Key>();
  const [token, setToken] = useState<string>();
  return (
    <Page
      title="API keys"
      about="Callers send one as X-API-Key. A key may be limited to some endpoints, and ends with the membership of who made it."
      actions={
        <Button kind="primary" onClick={() => setIsMaking(true)}>
          Make an API key
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
            <p>Endpoints that are not public are called with a key.</p>
            <Button kind="primary" onClick={() => setIsMaking(true)}>
              Make the first API key
            </Button>
          </Empty>
        }
      />
      {isMaking && <NewKeyDialog onClose={() => setIsMaking(false)} onMade={setToken} />}
      {rotated && (
        <RotateKeyDialog apiKey={rotated} onClose={() => setRotated(undefined)} onMade={setToken} />
      )}
      {revoked && <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
      <MadeKey token={token} onClose={() => setToken(undefined)} />
    </Page>
  );
}
