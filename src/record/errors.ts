import { legible } from './control-characters.js';

/** Exit codes of both tools; `notJudged` is for a gate that could not be judged. */
export const EXIT = { done: 0, failed: 1, usage: 2, notJudged: 3 } as const;

/** An error that the user can act on. Its message is one line: where, what, and what to do. */
export class UserError extends Error {
  constructor(
    /** What is wrong, without a full stop. */
    readonly what: string,
    readonly detail: {
      /** The file, option or line with the error. */
      readonly where?: string;
      /** The reason, where it is not part of the text of what is wrong. */
      readonly why?: string;
      /** The part of an answer that this error leaves out, for programs; the whole answer when not given. */
      readonly about?: string;
      /** What the user can do. */
      readonly hint?: string;
      readonly exitCode?: number;
      /** The system's error code, when the system refused something. */
      readonly code?: string;
    } = {},
  ) {
    super(lineOf(what, detail));
    this.name = 'UserError';
  }

  get exitCode(): number {
    return this.detail.exitCode ?? EXIT.failed;
  }

  /** What is wrong, with the reason. */
  get statement(): string {
    return statementOf(this.what, this.detail);
  }

  /** The message; control characters of file names and input strings are escaped. */
  get line(): string {
    return this.message;
  }
}

/** Bytes of a name that are not UTF-8 are decoded to this character, which no real file name contains. */
const NOT_UTF8 = '\ufffd';
const UTF8_HINT = 'its name is not UTF-8: rename it, or let the shell open it: < FILE, > FILE';

/** Whether a file name was very likely not UTF-8. */
export const isNotUtf8 = (path: string): boolean => path.includes(NOT_UTF8);

/** Folders of unpacked archives, with the name of the archive as the user gave it. Messages show that name. */
export function unpackedFolder(archive: string): string {
  const named = encodeURIComponent(archive === '-' ? 'stdin' : archive);
  return `${UNPACKED}${named.length < LONGEST_NAME ? named : 'archive'}`;
}

const UNPACKED = 'unpacked-';
/** File systems allow names of up to 255 bytes. */
const LONGEST_NAME = 200;
const IN_UNPACKED = /^.*[/\\]dparse-[^/\\]+[/\\]unpacked-([^/\\]+)/;

/** A path as messages show it: a file of an archive under the archive's name. */
export const shownPath = (path: string): string =>
  path.replace(IN_UNPACKED, (_, archive: string) => decodeURIComponent(archive));

const statementOf = (what: string, { why }: UserError['detail']): string =>
  why === undefined ? what : `${what}: ${why}`;

function lineOf(subject: string, detail: UserError['detail']): string {
  const what = statementOf(subject, detail);
  const where = detail.where === undefined ? undefined : shownPath(detail.where);
  const hint = detail.hint ?? (where !== undefined && isNotUtf8(where) ? UTF8_HINT : undefined);
  // A colon is used instead, because two parentheses in a row are hard to read.
  const action = hint === undefined ? '' : what.endsWith(')') ? ': ' + hint : ` (${hint})`;
  return legible(`${where === undefined ? '' : `${where}: `}${what}${action}`);
}

/** Wrong use of a command: exit code 2. */
export class UsageError extends UserError {
  constructor(what: string, hint?: string) {
    super(what, { exitCode: EXIT.usage, ...(hint === undefined ? {} : { hint }) });
    this.name = 'UsageError';
  }
}

/**
 * The candidate nearest to `name` by edit distance, if it is near enough for a likely typing error: up to three letters
 * allow one wrong letter. Among equally near candidates, one that only has additional letters comes first, then one with
 * the same initial.
 */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const wanted = name.toLowerCase();
  const most = wanted.length <= 3 ? 1 : Math.max(2, Math.ceil(wanted.length / 3));
  let best: string | null = null;
  let bestScore = Infinity;
  for (const candidate of candidates) {
    // The distance is at least the difference of lengths, so this check keeps long names fast.
    if (Math.abs(candidate.length - wanted.length) > most) continue;
    const other = candidate.toLowerCase();
    const distance = editDistance(wanted, other);
    const score = distance - likeness(wanted, other);
    if (distance <= most && score < bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** Bonus below one edit, which orders equally near candidates. */
function likeness(name: string, candidate: string): number {
  const isPart = name.length < candidate.length && isSubsequence(name, candidate);
  return (isPart ? 0.5 : 0) + (name[0] === candidate[0] ? 0.25 : 0);
}

function isSubsequence(letters: string, text: string): boolean {
  let matched = 0;
  for (const letter of text) if (letter === letters[matched]) matched++;
  return matched === letters.length;
}

/**
 * Optimal string alignment distance, computed one row at a time: letters deleted, inserted or replaced, and neighbours
 * swapped.
 */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  let distance = b.length;
  for (let i = 1; i <= a.length; i++) {
    let diagonal = i;
    const next = row.map((above, j) => {
      const substituted = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      diagonal = above;
      distance = j === 0 ? i : Math.min(substituted, above + 1, distance + 1, swapped);
      return distance;
    });
    [before, row] = [row, next];
  }
  return distance;
}

/** Error codes of the operating system, in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'is a directory',
  EROFS: 'read-only file system',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file too large',
  EIO: 'input/output error',
  EBADF: 'not open for this operation',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'file name too long',
  ELOOP: 'too many symbolic links',
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have this address',
  ENOTFOUND: 'no such host',
};

/** The error that Node throws when the operating system refuses something. */
interface SystemError extends Error {
  readonly code: string;
  readonly path?: string;
}

export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;

/** The reason in words, or the system's error code when there are no words for it. */
export const systemReason = (error: { readonly code: string }): string => REASONS[error.code] ?? error.code;

const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether the system's code means that a disk or a quota is full. */
export const ranOutOfSpace = (code: unknown): boolean => NO_SPACE.has(code);

/**
 * The value with a name.
 * @param noun kind of the name, in messages: 'format', 'rule' …
 * @param nearestOf finds the name that was probably meant; null if none is likely
 * @throws UsageError naming the nearest name, or all of them
 */
export function requireNamed<T>(
  noun: string,
  name: string,
  known: readonly T[],
  nameOf: (item: T) => string,
  nearestOf: (name: string, names: readonly string[]) => string | null = nearest,
): T {
  const found = known.find((candidate) => nameOf(candidate) === name);
  if (found !== undefined) return found;
  const names = known.map(nameOf);
  const near = nearestOf(name, names);
  throw new UsageError(
    `unknown ${noun} '${name}'`,
    near === null ? `expected one of ${names.join(', ')}` : `did you mean ${near}?`,
  );
}

/** @throws UsageError that suggests the nearest name, or lists all names */
export const requireName = <Name extends string>(noun: string, name: string, known: readonly Name[]): Name =>
  requireNamed(noun, name, known, (candidate) => candidate);
