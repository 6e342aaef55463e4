import { useDownload } from '../api/use-download.ts';
import { Button } from '../design/Button.tsx';

/** The whole log as a file, one JSON object in each line. */
export function ExportAudit({ why }: { readonly why: string | undefined }) {
  const take = useDownload('/audit/export', 'audit.ndjson');
  return (
    <Button onClick={() => take.mutate()} isPending={take.isPending} why={why}>
      Export as NDJSON
    </Button>
  );
}
