/**
 * Members of partial answers until all of them are known and their order with them. Memory: an index of them, and up to 64
 * MB of their content; more of it waits in a temporary file, and what stands in a file that can be read again stays there.
 */
import { closeSync, openSync } from 'node:fs';
import { readFully } from '../../../parse/files.js';
import { TemporaryFile } from '../../../parse/input/temporary-file.js';
import { MemberScanner } from '../../../prof/input/member-scanner.js';
import {
  byMemberKey,
  memberKey,
  memberText,
  partialLine,
  type MemberKey,
} from '../../../prof/partial/member-builder.js';
import { UserError } from '../../../record/errors.js';
import type { Write } from '../../output.js';

const MOST_IN_MEMORY = 64 * 1024 * 1024;

/** Bytes of a file. */
interface Place {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

/** Content that waits: here, or in the temporary file. */
interface Waiting {
  bytes: Buffer | null;
  offset: number;
  readonly length: number;
}

interface Stored extends MemberKey {
  readonly content: Place | Waiting;
}

export class MemberStore {
  readonly #members = new Map<string, Stored>();
  readonly #inMemory: Waiting[] = [];
  #size = 0;
  #written = 0;
  #file: TemporaryFile | null = null;

  constructor(private readonly mostInMemory = MOST_IN_MEMORY) {}

  get size(): number {
    return this.#members.size;
  }

  /** Takes a member, unless it has it. @param lines all of its lines, the first one with its id */
  add(id: string, lines: readonly string[]): void {
    if (this.#members.has(id)) return;
    const bytes = Buffer.from(memberText(lines, 0));
    const content: Waiting = { bytes, offset: 0, length: bytes.length };
    this.#members.set(id, { ...memberKey(lines[0] ?? '', id), content });
    this.#inMemory.push(content);
    this.#size += bytes.length;
    if (this.#size > this.mostInMemory) this.#moveOut();
  }

  /** Notes where a member stands, unless it has it. @param head its first line */
  addPlace(id: string, head: string, place: Place): void {
    if (!this.#members.has(id)) this.#members.set(id, { ...memberKey(head, id), content: place });
  }

  /** Writes the file of all members. @throws UserError where a file has changed since it was read */
  async write(write: Write): Promise<void> {
    await write(partialLine(this.size));
    const members = [...this.#members.values()].sort(byMemberKey);
    for (const [profile, member] of members.entries()) await write(memberText(this.#linesOf(member), profile));
  }

  dispose(): void {
    this.#file?.dispose();
    this.#file = null;
  }

  #moveOut(): void {
    this.#file ??= new TemporaryFile('dprof');
    for (const content of this.#inMemory) {
      if (content.bytes === null) continue;
      this.#file.append(content.bytes);
      content.offset = this.#written;
      this.#written += content.length;
      content.bytes = null;
    }
    this.#inMemory.length = 0;
    this.#size = 0;
  }

  #linesOf({ id, content }: Stored): string[] {
    if ('path' in content) return linesAt(content, id);
    const bytes = content.bytes ?? readAt(this.#file?.file ?? -1, content);
    return linesIn(bytes);
  }
}

const linesIn = (bytes: Buffer): string[] => bytes.toString('utf8').split('\n').slice(0, -1);

function readAt(file: number, { offset, length }: Pick<Place, 'offset' | 'length'>): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readFully(file, bytes, offset));
}

/** Reads a member again. */
function linesAt({ path, ...place }: Place, id: string): string[] {
  const file = openSync(path, 'r');
  try {
    // The last line may have no line end.
    const lines = `${readAt(file, place).toString('utf8').trimEnd()}\n`.split('\n').slice(0, -1);
    const found: string[] = [];
    const scanner = new MemberScanner(
      path,
      () => false,
      (member) => found.push(member.id),
    );
    lines.forEach((line, i) => scanner.take(line, i + 1));
    if (found[0] !== id) throw new UserError('has changed since it was read', { where: path, hint: 'merge again' });
    return lines;
  } finally {
    closeSync(file);
  }
}
