import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Item, readPages } from '../api/read.ts';
import { PickField } from '../design/form/PickField.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { rightsInWords } from './GrantList.tsx';
import { useGrantees } from './use-grantees.ts';

/** What one person or program may do in effect, by role and grants together. */
export function EffectiveRights() {
  const known = useGrantees().filter(({ kind }) => kind !== 'group');
  const [name, setName] = useState('');
  const chosen = known.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  return (
    <div className="flex flex-col gap-2">
      <div className="w-72 max-w-full">
        <PickField
          label="Member or service account"
          value={name}
          onChange={setName}
          names={known.map((one) => one.name)}
        />
      </div>
      {chosen && <RightsOf id={chosen.id} />}
    </div>
  );
}

function RightsOf({ id }: { readonly id: string }) {
  const query = useInfiniteQuery(readPages('listEndpointRights', { parameters: { id } }));
  return (
    <QueryList
      query={query}
      what="endpoints with rights"
      idOf={({ endpoint }) => endpoint}
      row={(right: Item<'listEndpointRights'>) => (
        <Row title={<code>{right.endpoint}</code>} facts={[rightsInWords(right.can)]} />
      )}
      empty={<p className="text-soft">They see no endpoint.</p>}
    />
  );
}
