/**
 * An e-mail address. It has none of the two letters outside ASCII whose lower case is in it, İ and the Kelvin sign: the mail goes to
 * the spelling that was typed, and this mailbox is another one than that of the account.
 */
export const EMAIL_ADDRESS = /^[^\s@<>"\u0130\u212A]{1,64}@[^\s@<>"\u0130\u212A]{1,190}$/;

/** The same for all spellings of an address: those that differ in case are one account. */
export function emailKey(email: string): string {
  return email.toLowerCase();
}
