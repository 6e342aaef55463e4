import { ShownOnce } from '../design/overlay/ShownOnce.tsx';

interface MadeKeyProps {
  readonly token: string | undefined;
  readonly onClose: () => void;
}

export function MadeKey({ token, onClose }: MadeKeyProps) {
  return (
    <ShownOnce token={token} what="API key" onClose={onClose}>
      <p>
        Send the key in the <code>X-API-Key</code> header. The API tab of each endpoint shows the call in
        curl, JavaScript, Python and the svc CLI.
      </p>
    </ShownOnce>
  );
}
