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

/** The audit log: append-only, each entry holds the hash of the previous one (decision 48, audit log). */
export function AuditPage() {
  const can = useMay('audit.view');
  return (
    <Page
      title="Audit log"
      about="Every change and decision, with person and address. Entries cannot be changed, and you can verify an export without svc."
      actions={<ExportAudit why={can.ok ? undefined : can.reason} />}
    >
      {can.ok ? <Entries /> : <Locked title="You can't view the audit log" reason={can.reason} />}
    </Page>
  );
}

function Entries() {
  const [action, setAction] = useState<AuditAction | ''>('');
  const query = useInfiniteQuery(readPages('listAudit', { query: action === '' ? {} : { action } }));
  return (
    <>
      <div className="w-72 max-w-full">
        <Select label="Action" options={ACTION_OPTIONS} value={action} onChange={setAction} />
      </div>
      <QueryList
        query={query}
        what="audit log entries"
        idOf={({ seq }) => String(seq)}
        row={(entry) => <AuditRow entry={entry} />}
        empty={
          <Empty title="No matching entries">
            <p>Select another action, or all actions.</p>
          </Empty>
        }
      />
    </>
  );
}
