import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';
import { Meter } from '../design/Meter.tsx';

export function Seats() {
  const { data } = useQuery(read('showUsage'));
  if (data === undefined) return null;
  return (
    <div className="max-w-sm">
      <Meter label="Seats (incl. invitations)" used={data.seats.used} limit={data.seats.limit ?? undefined} />
    </div>
  );
}
