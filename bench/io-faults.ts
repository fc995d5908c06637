/**
 * Each open, read, write and close of a run fails once, one run each: the run is to end with 0 and the whole output, or
 * with 1, one line, and no file.
 *
 *   npm run build && npm run bench faults
 *
 * Calls of SQLite's library are not seen. Inputs have no files beside them: without one of these a profile is read, and
 * its loss is counted in the output. Exits with 1 when a run ends in another way. All files are removed again.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot } from './built-tools.js';
import { temporaryFolder } from './measure.js';

const FAULTS = ['open:EMFILE', 'open:EIO', 'read:EIO', 'read:short', 'write:ENOSPC', 'write:EIO', 'write:short', 'close:EIO']; // prettier-ignore
const MOST_CALLS = 200;

const folder = temporaryFolder();

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
  readonly output: Buffer | null;
  /** Names in the temporary folder, and beside the output. */
  readonly left: readonly string[];
  /** Whether the fault has come. */
  readonly isHit: boolean;
}

let runs = 0;

function runWith(args: readonly string[], fault: string): Ended {
  const own = join(folder, String(++runs));
  const [temporary, place, mark] = [join(own, 'temporary'), join(own, 'place'), join(own, 'mark')];
  for (const made of [temporary, place]) mkdirSync(made, { recursive: true });
  const preload = ['--import', fromRoot('test/support/failing-io.mjs')];
  const { status, stderr } = spawnSync(process.execPath, [...preload, ...args, '-q', '-o', join(place, 'out')], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temporary, IO_FAULT: fault, IO_FAULT_MARK: mark },
    timeout: 60_000,
  });
  const output = existsSync(join(place, 'out')) ? readFileSync(join(place, 'out')) : null;
  const left = [...readdirSync(temporary), ...readdirSync(place).filter((name) => name !== 'out')];
  const ended = { code: status, stderr, output, left, isHit: existsSync(mark) };
  rmSync(own, { recursive: true });
  return ended;
}

/** What is wrong with the end of a run; null for nothing. */
function wrongWith({ code, stderr, output, left }: Ended, whole: Buffer): string | null {
  if (left.length > 0) return `leaves ${left.join(', ')}`;
  if (code === 0) return output?.equals(whole) === true ? null : 'ends with 0 and another output';
  if (code !== 1) return `ends with ${String(code)}`;
  if (output !== null) return 'ends with 1 and an output';
  if (stderr.includes('please report')) return `calls it a defect: ${stderr.trim()}`;
  return /^[^\n]+\n$/.test(stderr) ? null : `says ${JSON.stringify(stderr.slice(0, 200))}`;
}

const [dparse, dprof] = [fromRoot('bin/dparse.js'), fromRoot('bin/dprof.js')];
const records = join(folder, 'records.jsonl');
spawnSync(process.execPath, [dparse, '-q', '-o', records, fromRoot('samples/lenet.nsys.sqlite')]);
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'dparse TRACE.gz': [dparse, fromRoot('samples/lenet.pt.trace.json.gz')],
  'dparse NTFF': [dparse, '--neff', fromRoot('samples/attention.neff'), fromRoot('samples/attention.ntff')],
  'dprof -f table': [dprof, '-f', 'table', records],
  'dprof --csv': [dprof, '--csv', records],
  'dprof html': [dprof, 'html', records],
  'dprof summary': [dprof, 'summary', records],
  'dprof diff': [dprof, 'diff', records, records],
};

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

say('| command | faults | whole output | one line | wrong |');
say('|---|---|---|---|---|');
const wrong: string[] = [];
for (const [name, args] of Object.entries(COMMANDS)) {
  const { output: whole } = runWith(args, 'none:0:EIO');
  if (whole === null) throw new Error(`${name} writes nothing`);
  const sums = { faults: 0, whole: 0, line: 0, wrong: 0 };
  for (const kind of FAULTS) {
    const [operation = '', fault = ''] = kind.split(':');
    for (let call = 1; call <= MOST_CALLS; call++) {
      const ended = runWith(args, `${operation}:${call}:${fault}`);
      if (!ended.isHit) break;
      sums.faults++;
      const what = wrongWith(ended, whole);
      if (what !== null) wrong.push(`${name}: ${operation} ${call} ${fault}: ${what}`);
      if (what !== null) sums.wrong++;
      else if (ended.code === 0) sums.whole++;
      else sums.line++;
    }
  }
  say(`| ${name} | ${sums.faults} | ${sums.whole} | ${sums.line} | ${sums.wrong} |`);
}
for (const line of wrong) say(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
