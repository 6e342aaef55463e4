import { useDownload } from '../api/use-download.ts';
import { Button } from '../design/Button.tsx';

/** Downloads the whole log, one JSON object per line. */
export function ExportAudit({ why }: { readonly why: string | undefined }) {
  const download = useDownload('/audit/export', 'audit.ndjson');
  return (
    <Button onClick={() => download.mutate()} isPending={download.isPending} why={why}>
      Export as NDJSON
    </Button>
  );
}
