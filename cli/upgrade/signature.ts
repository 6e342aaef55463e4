import { createPublicKey, verify } from 'node:crypto';
import { EXIT, Failure } from '../failure.ts';

/** A key or a signature of minisign begins with the algorithm and the id of the key: 2 and 8 bytes. */
const HEAD = 10;
/** `Ed`: Ed25519 over the file itself. */
const ALGORITHM = 0x4564;
/** The start of an Ed25519 key in DER (RFC 8410); the 32 bytes of the key follow. */
const DER = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * The trusted comment of a signature that minisign made, after the signatures of the content and of the comment are verified.
 *
 * @param publicKey the line of base64 in minisign's file of the key
 *
 * Throws a `Failure` for a signature of another key, for a wrong one and for text that is none.
 */
export function trustedComment(content: Uint8Array, signatureFile: string, publicKey: string): string {
  const [, first = '', third = '', fourth = ''] = signatureFile.split(/\r?\n/);
  const [signature, whole] = [Buffer.from(first, 'base64'), Buffer.from(fourth, 'base64')];
  const prefix = 'trusted comment: ';
  if (signature.length !== HEAD + 64 || whole.length !== 64 || !third.startsWith(prefix))
    throw wrong('SHA256SUMS.minisig is not a signature of minisign');
  const key = Buffer.from(publicKey, 'base64');
  if (!signature.subarray(2, HEAD).equals(key.subarray(2, HEAD)))
    throw wrong(
      `the key ${idOf(signature)} signed the release, and this program trusts only ${idOf(key)}`,
      'a release with another key is installed with its own install.sh',
    );
  const comment = third.slice(prefix.length);
  const bare = signature.subarray(HEAD);
  const ofKey = createPublicKey({
    key: Buffer.concat([DER, key.subarray(HEAD)]),
    format: 'der',
    type: 'spki',
  });
  const isSigned =
    signature.readUInt16BE(0) === ALGORITHM &&
    verify(null, content, ofKey, bare) &&
    verify(null, Buffer.concat([bare, Buffer.from(comment)]), ofKey, whole);
  if (!isSigned) throw wrong('the signature of SHA256SUMS is wrong');
  return comment;
}

function wrong(message: string, tip?: string): Failure {
  return new Failure(`${message}: nothing was changed`, {
    exitCode: EXIT.failed,
    ...(tip === undefined ? {} : { tip }),
  });
}

/** The id of a key as minisign prints it. */
function idOf(keyOrSignature: Buffer): string {
  return keyOrSignature.readBigUInt64LE(2).toString(16).toUpperCase().padStart(16, '0');
}
