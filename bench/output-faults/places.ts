/** Where output goes that takes less than all of it, or goes slowly; and how a command ends that writes there. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WritingCommand } from './commands.js';
import { FILLER, PAGE, SmallDisk } from './small-disk.js';

/** Bytes of a block of `ulimit -f`. */
const BLOCK = 512;

export interface Place {
  readonly name: string;
  /** In a shell, of "$@": standard output is to go to $OUT, an exit code in a pipeline to $CODE; $BLOCKS is all but the last. */
  readonly script: string;
  /** Whether the command writes there by `-o`. */
  readonly isNamed?: boolean;
  /** Pages that the disk of the output has room for; a large disk where there is no number. @param size bytes of the output */
  readonly pages?: (size: number) => number;
  /** How a run may end that does not write all of it. */
  readonly ends?: 'reported' | 'quietly' | 'never';
}

const allButLast = (unit: number) => (size: number) => Math.floor(Math.max(0, size - 1) / unit);

export const PLACES: readonly Place[] = [
  { name: '> /dev/full', script: '"$@" > /dev/full' },
  { name: '>&-', script: '"$@" >&-' },
  { name: '> disk with room for all but the last page', script: '"$@" > "$OUT"', pages: allButLast(PAGE) },
  { name: '> file, ulimit -f', script: 'ulimit -f "$BLOCKS"; "$@" > "$OUT"' },
  { name: '| reader that has gone', script: '{ "$@"; echo $? > "$CODE"; } | true', ends: 'quietly' },
  {
    name: '| slow reader, 2> /dev/full',
    script: '{ "$@" 2> /dev/full; echo $? > "$CODE"; } | { sleep 0.3; cat > "$OUT"; }',
    ends: 'never',
  },
  { name: '-o on a full disk', script: '"$@"', isNamed: true, pages: allButLast(PAGE) },
  { name: '-o, ulimit -f', script: 'ulimit -f "$BLOCKS"; "$@"', isNamed: true },
];

/** A file that takes all; of a folder that is the command's. */
const WHOLE = {
  file: { name: 'a file', script: '"$@" > "$OUT"' },
  folder: { name: 'a folder', script: '"$@"', isNamed: true },
};

/** How a run ended: all is written, or a message says that it is not, or nobody reads it any more; else what is wrong. */
export type End = 'whole' | 'reported' | 'quiet' | { readonly wrong: string };

/** What is not looked at of a run. */
export const isLeftOut = ({ written }: WritingCommand, { isNamed = false }: Place): boolean =>
  isNamed ? written === null : written === 'folder';

/** Of a shell that waits for the end of its standard input: removes a folder, and the disk mounted in it. */
const REMOVE_AT_END = 'cat > /dev/null; umount -l "$0/disk"; rm -rf "$0"';

/** Removes a folder when this process ends, be it killed: the pipe to the shell is closed with it. */
function removeAtEnd(folder: string): void {
  const shell = spawn('sh', ['-c', REMOVE_AT_END, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.unref();
  (shell.stdin as Socket).unref();
}

export class OutputFaults {
  readonly #folder = mkdtempSync(join(tmpdir(), 'output-faults-'));
  /** Null where nothing may be mounted. */
  readonly disk: SmallDisk | null;
  readonly #whole = new Map<WritingCommand, Buffer | null>();

  constructor() {
    removeAtEnd(this.#folder);
    this.disk = SmallDisk.mount(join(this.#folder, 'disk'));
  }

  dispose(): void {
    this.disk?.unmount();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** For inputs. */
  folder(name: string): string {
    const path = join(this.#folder, name);
    mkdirSync(path);
    return path;
  }

  /** @returns null where the place is not to be had here */
  end(command: WritingCommand, place: Place): End | null {
    if (place.pages !== undefined && this.disk === null) return null;
    if (place.script.includes('/dev/full') && !existsSync('/dev/full')) return null;
    const whole = this.#wholeOf(command);
    return whole === null
      ? { wrong: 'is not written to a file' }
      : endOf(this.#run(command, place, whole), place, whole);
  }

  /** What the command writes where nothing is wrong; null where it fails. */
  #wholeOf(command: WritingCommand): Buffer | null {
    const known = this.#whole.get(command);
    if (known !== undefined) return known;
    const { code, output } = this.#run(
      command,
      command.written === 'folder' ? WHOLE.folder : WHOLE.file,
      Buffer.alloc(0),
    );
    const whole = code === 0 && output !== null && output.length > 0 ? output : null;
    this.#whole.set(command, whole);
    return whole;
  }

  #run(command: WritingCommand, place: Place, whole: Buffer): Ran {
    const own = mkdtempSync(join(this.#folder, 'run-'));
    const { disk } = this;
    const isSmall = disk !== null && place.pages !== undefined;
    if (isSmall) disk.leave(place.pages(whole.length));
    const on = isSmall ? disk.path : own;
    const [out, code, job] = [join(on, 'out'), join(own, 'code'), join(place.isNamed === true ? on : own, 'job')];
    const { written, args, stdin } = command;
    const named = written === 'job' ? ['-o', job] : place.isNamed === true ? ['-o', out] : [];
    // Where standard error is full, there is to be something for it.
    const words = place.ends === 'never' ? args.filter((word) => word !== '-q') : args;
    const ran = spawnSync('sh', ['-c', place.script, 'sh', process.execPath, ...words, ...named], {
      encoding: 'utf8',
      env: { ...process.env, OUT: out, CODE: code, BLOCKS: String(allButLast(BLOCK)(whole.length)) },
      input: stdin === undefined ? '' : readFileSync(stdin),
      maxBuffer: Infinity,
      timeout: 120_000,
    });
    // Of a job with -o, what is printed is the output.
    const printed = written === 'job' && place.isNamed === true;
    const output = printed ? Buffer.from(ran.stdout) : existsSync(out) ? contentOf(out) : null;
    const left = place.isNamed === true && written !== 'job' ? readdirSync(on).filter((name) => name !== FILLER) : [];
    const exit = existsSync(code) ? Number(readFileSync(code, 'utf8')) : ran.status;
    rmSync(own, { recursive: true });
    return { code: exit, stderr: ran.stderr, output, left, lines: written === 'job' ? 'several' : 'one' };
  }
}

interface Ran {
  readonly code: number | null;
  readonly stderr: string;
  readonly output: Buffer | null;
  /** Beside the output of `-o`. */
  readonly left: readonly string[];
  /** Lines of a failure. */
  readonly lines: 'one' | 'several';
}

function endOf(
  { code, stderr, output, left, lines }: Ran,
  { isNamed = false, ends = 'reported' }: Place,
  whole: Buffer,
): End {
  if (left.some((name) => name !== 'out')) return { wrong: `leaves ${left.join(', ')}` };
  if (code === 0) {
    if (output?.equals(whole) === true) return 'whole';
    return ends === 'quietly' && stderr === ''
      ? 'quiet'
      : { wrong: `exit 0 with ${output?.length ?? 0} of ${whole.length} bytes` };
  }
  if (ends === 'never') return { wrong: `exit ${String(code)}: ${stderr.slice(0, 200)}` };
  if (code !== 1) return { wrong: `exit ${String(code)}` };
  if (isNamed && output !== null && lines === 'one') return { wrong: 'exit 1 and an output of -o' };
  const said = lines === 'one' ? /^d(?:parse|prof): [^\n]+\n$/ : /^(?:d(?:parse|prof): [^\n]+\n)+$/;
  if (!said.test(stderr) || stderr.includes('please report'))
    return { wrong: `says ${JSON.stringify(stderr.slice(0, 200))}` };
  return 'reported';
}

/** A file, or the files of a folder one after the other. */
function contentOf(path: string): Buffer {
  if (!statSync(path).isDirectory()) return readFileSync(path);
  return Buffer.concat(
    readdirSync(path)
      .sort()
      .map((name) => contentOf(join(path, name))),
  );
}
