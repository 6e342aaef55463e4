import { ShownOnce } from '../design/overlay/ShownOnce.tsx';

interface MadeKeyProps {
  readonly token: string | undefined;
  readonly onClose: () => void;
}

export function MadeKey({ token, onClose }: MadeKeyProps) {
  return (
    <ShownOnce token={token} what="API key" onClose={onClose}>
      <p>
        Send it as the header <code>X-API-Key</code>. The page of each endpoint shows the call in curl, fetch,
        Python and the command line.
      </p>
    </ShownOnce>
  );
}
