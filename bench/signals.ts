/**
 * What runs leave behind that a signal ends: SIGINT, SIGTERM and SIGHUP, each at many points of several commands.
 *
 *   npm run build && npm run bench signals                100 points of each signal
 *   npm run bench signals -- --points 20
 *   npm run bench signals -- --program OTHER/bin          the tools of another built checkout
 *
 * Exits with 1 when anything is left, and when a run goes on for more than a second. All files are removed again.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { interruptedRun, SIGNALS } from '../test/support/interrupted.js';
import { fromRoot } from './built-tools.js';
import { writeRecords } from './growth/records.js';
import { repeatTrace } from './repeat-trace.js';
import { traceTemplate } from './trace-template.js';

/** Copies of the sample's steps: unpacking and reading take about as long as the start of a tool. */
const COPIES = 30;
/** Devices of records over which answers compute for long once all is read. */
const DEVICES = 5000;
const MOST_LATENCY_MS = 1000;

interface Commanded {
  readonly name: string;
  readonly args: readonly string[];
}

/** Commands that unpack, read, spool and write, by the folder of the tools and a folder for inputs. */
function commands(program: string, folder: string): Commanded[] {
  const [dparse, dprof] = [join(program, 'dparse.js'), join(program, 'dprof.js')];
  const [trace, database] = [join(folder, 'trace.json.gz'), join(folder, 'net.sqlite.gz')];
  const pieces: Buffer[] = [];
  const text = gunzipSync(readFileSync(fromRoot('samples/lenet.pt.trace.json.gz')));
  repeatTrace(traceTemplate(text), COPIES, (piece) => pieces.push(Buffer.from(piece)));
  writeFileSync(trace, gzipSync(Buffer.concat(pieces), { level: 1 }));
  writeFileSync(database, gzipSync(readFileSync(fromRoot('samples/transformer.nsys.sqlite'))));
  const many = join(folder, 'devices.jsonl');
  writeRecords('devices', DEVICES, many);
  return [
    ...['html', 'ranks', 'partial', 'advise', 'summary', 'perfetto', 'steps', 'stacks', 'memory'].map((name) => ({
      ...{ name: `dprof ${name} DEVICES`, args: [dprof, name, '-q', many] },
    })),
    { name: 'dparse TRACE.gz', args: [dparse, trace] },
    { name: 'dparse DATABASE.gz', args: [dparse, database] },
    { name: 'dparse -j 2', args: [dparse, '-j', '2', trace, database, database] },
    { name: 'dprof TRACE.gz', args: [dprof, trace] },
    { name: 'dprof html DATABASE.gz', args: [dprof, 'html', database] },
    { name: 'dprof diff', args: [dprof, 'diff', database, database] },
  ];
}

const { values } = parseArgs({
  options: { points: { type: 'string', default: '100' }, program: { type: 'string', default: fromRoot('bin') } },
});
const points = Number(values.points);
if (!Number.isInteger(points) || points < 1)
  throw new Error(`--points takes a whole number above 0, not ${values.points}`);

const folder = mkdtempSync(join(tmpdir(), 'bench-signals-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});
process.once('SIGINT', () => process.exit(130));

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const known: { readonly args: readonly string[]; readonly whole: Buffer; readonly milliseconds: number }[] = [];
for (const { name, args } of commands(values.program, folder)) {
  const { output, milliseconds } = await interruptedRun(args, null, 0, null, folder);
  if (output === null) throw new Error(`${name} writes nothing`);
  say(`${name}: ${Math.round(milliseconds)} ms without a signal`);
  known.push({ args, whole: output, milliseconds });
}
say('');
say('| signal | runs | ended before it | files left | half outputs | wrong exit codes | longest, ms |');
say('|---|---|---|---|---|---|---|');
let faults = 0;
for (const signal of SIGNALS) {
  const sums = { early: 0, left: 0, half: 0, wrong: 0, latency: 0 };
  for (let point = 0; point < points; point++) {
    const command = known[point % known.length];
    if (command === undefined) continue;
    const after = (command.milliseconds * (point + 1)) / (points + 1);
    const ran = await interruptedRun(command.args, signal, after, command.whole, folder);
    if (ran.output !== null) sums.early++;
    sums.left += ran.left.length;
    sums.half += ran.half.length;
    if (ran.wrongEnd !== null) sums.wrong++;
    sums.latency = Math.max(sums.latency, ran.latencyMs ?? 0);
  }
  say(
    `| ${signal} | ${points} | ${sums.early} | ${sums.left} | ${sums.half} | ${sums.wrong} | ${Math.round(sums.latency)} |`,
  );
  faults += sums.left + sums.half + sums.wrong + Number(sums.latency > MOST_LATENCY_MS);
}
process.exitCode = faults === 0 ? 0 : 1;
