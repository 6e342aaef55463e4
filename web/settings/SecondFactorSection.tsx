import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { askPasskey } from '../account/ask-passkey.ts';
import { api } from '../api/client.ts';
import { type Answer, read } from '../api/read.ts';
import { problemWords } from '../api/refusal-words.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { showDone, showProblem } from '../design/overlay/toasts.ts';
import { Time } from '../design/time/Time.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';

interface SecondFactorSectionProps {
  /** Called when the factor is on and its codes were saved. */
  readonly onSwitchedOn?: () => void;
}

/** The second factor of the person (decision 100, second factor): switched on with a passkey, off with a passkey or a recovery code. */
export function SecondFactorSection({ onSwitchedOn }: SecondFactorSectionProps) {
  const { data } = useQuery(read('showSecondFactor'));
  const [codes, setCodes] = useState<readonly string[]>();
  if (data === undefined) return null;
  return (
    <>
      {data.on ? (
        <SwitchedOn factor={data} onCodes={setCodes} />
      ) : (
        <SwitchedOff factor={data} onCodes={setCodes} />
      )}
      <RecoveryCodes
        codes={codes}
        onClose={() => {
          setCodes(undefined);
          if (data.on) onSwitchedOn?.();
        }}
      />
    </>
  );
}

type Factor = Answer<'showSecondFactor'>;

interface FactorProps {
  readonly factor: Factor;
  /** Called with new codes, which are shown only once. */
  readonly onCodes: (codes: readonly string[]) => void;
}

function SwitchedOff({ factor, onCodes }: FactorProps) {
  const { isPending, run } = useRun();
  const switchOn = () =>
    run(async () => {
      const passkey = await askPasskey(await api.beginSecondFactor());
      const { recovery_codes } = await api.switchSecondFactorOn({ body: { passkey } });
      onCodes(recovery_codes);
      return 'Second factor is on';
    });
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="max-w-prose text-soft">
        With a second factor, a link by email or a sign-in at a provider also asks for a passkey or a recovery
        code. Your other sessions end when you switch it on.
      </p>
      <Button kind="primary" isPending={isPending} onClick={() => void switchOn()} why={whyNot(factor)}>
        Switch second factor on
      </Button>
    </div>
  );
}

function whyNot({ passkeys, supported }: Factor): string | undefined {
  if (!supported) return 'Browsers accept passkeys only at https:// with a name, or at http://localhost.';
  return passkeys === 0 ? 'Add a passkey first.' : undefined;
}

function SwitchedOn({ factor: { since, recovery_codes_left: left }, onCodes }: FactorProps) {
  const [asked, setAsked] = useState<'off' | 'codes'>();
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        On{' '}
        {since !== null && (
          <>
            since <Time at={since} />
          </>
        )}
        . {left === 1 ? '1 recovery code is left.' : `${left} recovery codes are left.`}
      </p>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setAsked('codes')}>Create new recovery codes</Button>
        <Button kind="danger" onClick={() => setAsked('off')}>
          Switch second factor off
        </Button>
      </div>
      {asked && <ProofDialog wanted={asked} onCodes={onCodes} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface ProofDialogProps {
  readonly wanted: 'off' | 'codes';
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

type Proof = NonNullable<NonNullable<Parameters<typeof api.switchSecondFactorOff>[0]>['body']>;

/** Asks for a passkey or a recovery code, and does what was wanted. */
function ProofDialog({ wanted, onCodes, onClose }: ProofDialogProps) {
  const [code, setCode] = useState('');
  const { isPending, run } = useRun();
  const isOff = wanted === 'off';
  const act = (proofOf: () => Promise<Proof>) =>
    run(async () => {
      const body = await proofOf();
      if (isOff) await api.switchSecondFactorOff({ body });
      else onCodes((await api.makeRecoveryCodes({ body })).recovery_codes);
      onClose();
      return isOff ? 'Second factor is off' : 'New recovery codes created';
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act(() => Promise.resolve({ recovery_code: code }));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isOff ? 'Switch the second factor off?' : 'Create new recovery codes?'}
    >
      <p className="max-w-prose">
        {isOff
          ? 'A link by email will be enough to sign in. You cannot use workspaces that demand a second factor.'
          : 'Your current codes will stop working.'}
      </p>
      <div className="mt-4 flex flex-col gap-4">
        <Button
          kind="primary"
          isPending={isPending}
          onClick={() => void act(async () => ({ passkey: await askPasskey(await api.beginSecondFactor()) }))}
        >
          Confirm with passkey
        </Button>
        <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
          <div className="w-72 max-w-full">
            <TextField label="Or a recovery code" value={code} onChange={setCode} isCode />
          </div>
          <Button
            type="submit"
            isPending={isPending}
            why={code.trim() === '' ? 'Type a code first.' : undefined}
          >
            Confirm with code
          </Button>
        </form>
      </div>
    </Dialog>
  );
}

/** Runs one action at a time, and shows its success message or its problem. */
function useRun() {
  const [isPending, setIsPending] = useState(false);
  const queries = useQueryClient();
  const run = async (action: () => Promise<string>) => {
    setIsPending(true);
    try {
      const done = await action();
      const changed = ['showSecondFactor', 'listSessions', 'listMembers', 'showSecondFactorRule'];
      await Promise.all(changed.map((name) => queries.invalidateQueries({ queryKey: [name] })));
      showDone(done);
    } catch (error) {
      const { title, advice } = problemWords(error);
      showProblem(title, advice);
    } finally {
      setIsPending(false);
    }
  };
  return { isPending, run };
}
