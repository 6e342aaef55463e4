/** An Ed25519 public key in raw form, 32 bytes as base64url (decision 60, the file is a floor). */
export const APPROVER_KEY_PATTERN = /^ed25519:[A-Za-z0-9_-]{43}$/;
export const APPROVER_KEY_FORM = 'a public key as `svc approvals key` prints it, "ed25519:…",';
export const MAX_APPROVER_KEYS = 50;
