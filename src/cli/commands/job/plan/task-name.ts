/** Names of a task's files. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

const LONGEST = 60;
const DIGITS = 12;

/** The first hex digits of the SHA-256 of a text. */
export const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, DIGITS);

/**
 * The name for the files of a profile: the printable part of the profile's name, and a hash of its path, which
 * distinguishes profiles with the same name in several folders.
 * @param path absolute path
 */
export function taskName(path: string): string {
  const readable = basename(path)
    .replace(/[^\w.-]/g, '_')
    .replace(/^[.-]/, '_')
    .slice(0, LONGEST);
  return `${readable}-${shortHash(path)}`;
}
