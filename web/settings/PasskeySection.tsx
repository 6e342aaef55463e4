import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import { type Item, readPages } from '../api/read.ts';
import { problemWords } from '../api/refusal-words.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { showDone, showProblem } from '../design/overlay/toasts.ts';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

/** The passkeys of the person, and how to add one. */
export function PasskeySection() {
  const query = useInfiniteQuery(readPages('listPasskeys'));
  const first = query.data?.pages[0];
  if (first?.supported === false && first.items.length === 0)
    return (
      <p className="max-w-prose text-soft">
        Browsers accept passkeys only at https:// with a name, or at http://localhost.
      </p>
    );
  return (
    <>
      {first?.supported === true && <AddPasskey />}
      <QueryList
        query={query}
        what="passkeys"
        idOf={({ id }) => id}
        row={(passkey) => <PasskeyRow passkey={passkey} />}
        empty={<p className="max-w-prose text-soft">No passkeys yet. With one you sign in without a mail.</p>}
      />
    </>
  );
}

function AddPasskey() {
  const [name, setName] = useState('');
  const [isPending, setIsPending] = useState(false);
  const queries = useQueryClient();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const label = name.trim() === '' ? 'Passkey' : name.trim();
    setIsPending(true);
    try {
      await addPasskey(label);
      for (const changed of ['listPasskeys', 'showSecondFactor'])
        await queries.invalidateQueries({ queryKey: [changed] });
      setName('');
      showDone(`Passkey ${label} added`);
    } catch (error) {
      const { title, advice } = problemWords(error);
      showProblem(title, advice);
    } finally {
      setIsPending(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-wrap items-end gap-3">
      <div className="w-72 max-w-full">
        <TextField label="Name of the passkey" value={name} onChange={setName} hint="For example: laptop." />
      </div>
      <Button type="submit" isPending={isPending} className="sm:mb-[22px]">
        Add passkey
      </Button>
    </form>
  );
}

/** Asks the hub for a challenge and the browser for a new passkey. Throws an error for people. */
async function addPasskey(name: string): Promise<void> {
  const { challenge, rp_id, user, exclude } = await api.beginPasskey();
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { id, response } = await startRegistration({
    optionsJSON: {
      challenge,
      rp: { id: rp_id, name: 'svc' },
      user: { ...user, displayName: user.name },
      excludeCredentials: exclude.map((one) => ({ id: one, type: 'public-key' })),
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    },
  });
  const { clientDataJSON: client_data, attestationObject: attestation } = response;
  await api.addPasskey({ body: { name, id, client_data, attestation } });
}

function PasskeyRow({ passkey }: { readonly passkey: Item<'listPasskeys'> }) {
  const { id, name, backed_up, created_at, last_used_at } = passkey;
  const remove = useAction('removePasskey', {
    changes: ['listPasskeys', 'listSessions', 'showSecondFactor'],
    doneMessage: () => `Passkey ${name} removed`,
  });
  return (
    <Row
      title={<Visible text={name} />}
      facts={[
        backed_up ? 'on several devices' : 'on one device',
        last_used_at === null ? (
          'never used'
        ) : (
          <>
            used <Time at={last_used_at} />
          </>
        ),
        <>
          added <Time at={created_at} />
        </>,
      ]}
      actions={
        <Button
          kind="plain"
          className="text-bad"
          isPending={remove.isPending}
          onClick={() => remove.mutate({ parameters: { id } })}
          aria-label={`Remove passkey ${name}`}
        >
          Remove
        </Button>
      }
    />
  );
}
