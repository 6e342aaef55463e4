import { useAccount } from '../account/account.ts';
import { Page, Section } from '../design/Page.tsx';
import { PasskeySection } from './PasskeySection.tsx';
import { SecondFactorSection } from './SecondFactorSection.tsx';

/** Replaces every page of a workspace that demands a second factor, until the person has switched it on. */
export function SecondFactorNeeded() {
  const { username, provider_only } = useAccount();
  return (
    <Page
      title="Second factor needed"
      about={`${username ?? 'This workspace'} demands a second factor of its members. Switch yours on to continue.`}
    >
      {provider_only ? (
        <p className="max-w-prose">
          You signed in at the provider of this workspace. Sign in with a link by email or a passkey, and
          switch the second factor on in the settings.
        </p>
      ) : (
        <>
          <Section title="1. Add a passkey">
            <PasskeySection />
          </Section>
          <Section title="2. Switch the second factor on">
            <SecondFactorSection onSwitchedOn={() => location.reload()} />
          </Section>
        </>
      )}
    </Page>
  );
}
