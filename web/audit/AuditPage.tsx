import type { AuditAction } from '@svc/core/audit/actions';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { readPages } from '../api/read.ts';
import { Select } from '../design/form/Select.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { AuditRow } from './AuditRow.tsx';
import { ACTION_OPTIONS } from './action-options.ts';
import { ExportAudit } from './ExportAudit.tsx';

/** Who did what, from where: append-only, each entry holding the hash of the one before (decision 48). */
export function AuditPage() {
  const can = useMay('audit.view');
  return (
    <Page
      title="Audit log"
      about="Every change and every decision: who, what, from where. Nothing in it can be changed; the export can be checked without svc."
      actions={<ExportAudit why={can.ok ? undefined : can.reason} />}
    >
      {can.ok ? <Entries /> : <Locked what="Entries of the audit log" reason={can.reason} />}
    </Page>
  );
}

function Entries() {
  const [action, setAction] = useState<AuditAction | ''>('');
  const query = useInfiniteQuery(readPages('listAudit', { query: action === '' ? {} : { action } }));
  return (
    <>
      <div className="w-72 max-w-full">
        <Select label="Show" options={ACTION_OPTIONS} value={action} onChange={setAction} />
      </div>
      <QueryList
        query={query}
        what="entries"
        idOf={({ seq }) => String(seq)}
        row={(entry) => <AuditRow entry={entry} />}
        empty={
          <Empty title="Nothing of the kind is on record">
            <p>Choose another kind of change, or everything.</p>
          </Empty>
        }
      />
    </>
  );
}
