/**
 * An e-mail address. Two spellings that differ in case are one account, and a mail goes to the spelling that was typed. So it has none of the
 * two letters outside ASCII whose lower case is in it, İ and the Kelvin sign: their mailbox is another one than that of the account.
 */
export const EMAIL_ADDRESS = /^[^\s@<>"\u0130\u212A]{1,64}@[^\s@<>"\u0130\u212A]{1,190}$/;
