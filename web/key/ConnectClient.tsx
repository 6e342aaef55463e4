import { useState } from 'react';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { CodeBlock } from '../design/text/Code.tsx';
import { clientLines } from './client-lines.ts';

/** The lines with which an AI client is connected to this hub (decision 74, access for AI clients). */
export function ConnectClient({ onClose }: { readonly onClose: () => void }) {
  const clients = clientLines(location.origin);
  const [chosen, setChosen] = useState(clients[0]?.value ?? '');
  const client = clients.find(({ value }) => value === chosen);
  return (
    <Dialog isOpen onClose={onClose} title="Connect an AI client" isWide>
      <div className="flex flex-col gap-3">
        <p className="max-w-prose text-soft">
          An AI client runs the endpoints that you allow. Calls that need approval wait for a signed-in
          member; the client cannot approve them.
        </p>
        <Select label="Client" options={clients} value={chosen} onChange={setChosen} />
        {client && (
          <>
            <p>{client.where}</p>
            <CodeBlock text={client.text} copyLabel="Copy the lines" />
            <p className="max-w-prose text-sm text-soft">{client.signsIn ? SIGNS_IN : WITH_KEY}</p>
          </>
        )}
      </div>
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

const SIGNS_IN =
  'The client opens a page of this hub in your browser. There you choose the endpoints. If the client reports that it cannot register, connect it with a key, or ask the operator to set SVC_MCP_DCR=on.';
const WITH_KEY = 'Create an API key for this client alone, so that you see its calls and can revoke it.';
