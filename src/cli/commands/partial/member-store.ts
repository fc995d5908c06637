/**
 * Members of partial answers, read from files and written into one. They are written when all of them are known,
 * because only then their order is known. Memory: an index, and up to 64 MB of content. More content waits in a
 * temporary file, unless it is in a file that can be read again.
 */
import { closeSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { readFully } from '../../../parse/files.js';
import { TemporaryFile } from '../../../parse/input/temporary-file.js';
import { MemberScanner, type Member } from '../../../prof/input/member-scanner.js';
import {
  byMemberKey,
  memberKey,
  memberText,
  partialLine,
  type MemberKey,
} from '../../../prof/partial/member-builder.js';
import { UserError, UsageError } from '../../../record/errors.js';
import { withOutput, type Write } from '../../output.js';
import { lineBatches, openFile, openStream, type Input } from '../../../prof/input/lines.js';
import type { EndRecord, ProfileRecord } from '../../../record/record.js';
import { StreamStatus, TruncatedInput } from '../../../prof/input/stream-status.js';
import { confirmEndings, confirmWhole } from '../../input.js';

interface MembersOutput {
  readonly inputs: readonly string[];
  readonly output: string | undefined;
  /** Status of the existing output file: see `checkOutput`. */
  readonly existing: Stats | null;
  readonly quiet: boolean;
}

/** @throws UserError for an input that is cut off, after the members before the cut were written */
export async function writeMembers(
  store: MemberStore,
  endings: readonly StreamStatus[],
  { inputs, output, existing, quiet }: MembersOutput,
): Promise<void> {
  const source = { name: inputs.join(', '), endings };
  await withOutput(output, inputs, async (write) => {
    confirmWhole(source, existing, output);
    await store.write(write);
  });
  confirmEndings(source, quiet);
}

/**
 * @param file '-' for standard input
 * @param usage usage line, printed when standard input is a terminal
 * @returns how the input ended; the store has the members before a cut
 * @throws UserError for a file that is not a partial answer, or that is damaged or newer
 */
export async function readMembers(file: string, store: MemberStore, usage: string): Promise<StreamStatus> {
  if (file === '-' && process.stdin.isTTY) throw new UsageError('no FILE given, and stdin is a terminal', usage);
  const input = file === '-' ? await openStream(process.stdin, 'stdin') : await openFile(file);
  const status = new StreamStatus(input.name);
  try {
    await readAll(input, file !== '-' && isReadable(file) ? file : null, store, status);
  } catch (error) {
    if (!(error instanceof TruncatedInput)) throw error;
    status.cut = error;
  } finally {
    input.close();
  }
  return status;
}

/** @param path file from which members can be read again; null when they cannot */
async function readAll(input: Input, path: string | null, store: MemberStore, status: StreamStatus): Promise<void> {
  // A file that is not a partial answer may be a single line of any length.
  if (input.head.length > 0 && !input.head.toString('latin1').startsWith('{"type":"')) throw noPartial(input.name);
  let [begin, end, lines] = [0, 0, 0];
  const take = ({ id, head, lines: rest }: Member): void => {
    // Losses of its profile. If the member's profile is cut off, answers made from the member fail, but not the
    // commands that copy it.
    const [{ file }, ended] = [JSON.parse(head) as ProfileRecord, JSON.parse(rest.at(-1) ?? '') as EndRecord];
    status.losses.take(file, ended);
    if (path === null) store.add(id, [head, ...rest]);
    else store.addPlace(id, head, { path, offset: begin, length: end - begin });
  };
  const scanner = new MemberScanner(input.name, () => path === null, take);
  for await (const batch of lineBatches(input)) {
    for (const [i, line] of batch.lines.entries()) {
      if (line.startsWith('{"type":"profile"')) begin = end;
      end += Buffer.byteLength(line) + 1;
      if (scanner.take(line, batch.first + i)) lines++;
      else if (line.trim() !== '') throw lines === 0 ? noPartial(input.name) : stray(input.name, batch.first + i);
    }
  }
  scanner.end();
  if (lines === 0) throw new UserError('is empty', { where: input.name, hint: 'expected a file from dprof partial' });
}

const noPartial = (where: string): UserError =>
  new UserError('is not a dprof partial file', { where, hint: 'make one with dprof partial PROFILE' });

const stray = (file: string, line: number): UserError =>
  new UserError('a line outside any member: the file was edited', {
    where: `${file}:${line}`,
    hint: 'write it again with dprof partial',
  });

const BYTE_ORDER_MARK = 0xef;
const GZIP = 0x1f;

/** Whether the file's bytes are those of its lines (uncompressed), and can be read at any offset. */
function isReadable(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const file = openSync(path, 'r');
  try {
    const first = Buffer.alloc(1);
    readSync(file, first, 0, 1, 0);
    return first[0] !== BYTE_ORDER_MARK && first[0] !== GZIP;
  } finally {
    closeSync(file);
  }
}

const MOST_IN_MEMORY = 64 * 1024 * 1024;

/** A range of bytes in a file. */
interface Place {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

/** Content that waits to be written: in memory, or in the temporary file. */
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

  /** Adds a member unless the store has it. @param lines all of its lines; the first has its id */
  add(id: string, lines: readonly string[]): void {
    if (this.#members.has(id)) return;
    const bytes = Buffer.from(memberText(lines, 0));
    const content: Waiting = { bytes, offset: 0, length: bytes.length };
    this.#members.set(id, { ...memberKey(lines[0] ?? '', id), content });
    this.#inMemory.push(content);
    this.#size += bytes.length;
    if (this.#size > this.mostInMemory) this.#moveOut();
  }

  /** Records where a member is, unless the store has it. @param head its first line */
  addPlace(id: string, head: string, place: Place): void {
    if (!this.#members.has(id)) this.#members.set(id, { ...memberKey(head, id), content: place });
  }

  /** Writes the file with all members. @throws UserError when an input file has changed since it was read */
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
    if (found[0] !== id) throw new UserError('changed after it was read', { where: path, hint: 'run the merge again' });
    return lines;
  } finally {
    closeSync(file);
  }
}
