import { useState } from 'react';
import { useMay } from '../../account/account.ts';
import type { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { RestoreVersion } from '../../design/overlay/RestoreVersion.tsx';
import { changesBetween } from '../edit/drafted-definition.ts';
import type { WireEndpoint, WireVersion } from '../wire-endpoint.ts';
import { changedFields } from './changed-fields.ts';

type Change = Parameters<typeof api.changeEndpoint>[0]['body'];

interface RestoreProps {
  readonly endpoint: WireEndpoint;
  readonly version: WireVersion;
  readonly newest: WireVersion;
}

/** Saves the definition of an earlier version as a new version. */
export function Restore({ endpoint, version, newest }: RestoreProps) {
  const [isOpen, setIsOpen] = useState(false);
  const can = useMay('endpoint.edit');
  const restore = useAction('changeEndpoint', {
    changes: ['showEndpoint', 'listEndpoints', 'listEndpointVersions', 'listSchedules'],
    doneMessage: (now) => `${now.slug} saved as version ${now.version}`,
    isProblemShown: true,
    onDone: () => setIsOpen(false),
  });
  const why = can.ok
    ? endpoint.source === 'config'
      ? 'Defined in svc.yaml. Restore the command there.'
      : undefined
    : can.reason;
  const fields = changedFields(newest, version).map(({ field }) => field);
  return (
    <RestoreVersion
      slug={endpoint.slug}
      version={version.version}
      why={why}
      isOpen={isOpen}
      onOpen={setIsOpen}
      isPending={restore.isPending}
      problem={restore.error}
      onRestore={() =>
        restore.mutate({
          parameters: { name: endpoint.slug },
          body: {
            ...(changesBetween(newest.definition, version.definition) as Change),
            version: endpoint.version,
          },
        })
      }
    >
      {fields.length === 0
        ? 'The definition is the same as now.'
        : `Changes ${fields.join(', ')}. Saves a new version; later versions stay in the list.`}
    </RestoreVersion>
  );
}
