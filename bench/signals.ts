/**
 * What runs leave behind that a signal ends: SIGINT, SIGTERM and SIGHUP, each at many points of every command of both
 * programs, of which each unpacks, reads, computes or writes for as long as it takes to start or longer.
 *
 *   npm run build && npm run bench signals                100 points of each signal
 *   npm run bench signals -- --points 20
 *   npm run bench signals -- --of 'dprof job'             commands whose names begin so
 *   npm run bench signals -- --program OTHER/bin          the tools of another built checkout
 *
 * Exits with 1 when anything is left, a process included, and when a run goes on for more than a second. All files are
 * removed again.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { interruptedRun, SIGNALS, type Run } from '../test/support/interrupted.js';
import { fromRoot } from './built-tools.js';
import { writeRecords } from './growth/records.js';
import { sampleInputs, writingCommands, type CommandInputs, type WritingCommand } from './output-faults/commands.js';
import { repeatTrace } from './repeat-trace.js';
import { traceTemplate } from './trace-template.js';
import { temporaryFolder } from './measure.js';

/** Copies of the sample's steps: unpacking and reading take about as long as the start of a tool. */
const COPIES = 30;
/** Devices of records over which answers compute for long once all is read. */
const DEVICES = 3000;
/** Times that the sample of neuron-monitor is repeated. */
const REPORTS = 400;
const MOST_LATENCY_MS = 1000;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Each command of `dprof` once, and all of `dparse`, that write to a file: formats take the same way to it. */
async function commands(bin: string, folder: string): Promise<WritingCommand[]> {
  const all = (await writingCommands(folder, largeInputs(bin, folder), bin)).filter(({ written }) => written !== null);
  const names = all.map(({ name }) => (name.startsWith('dparse') ? name : name.split(' ', 2).join(' ')));
  const records = join(folder, 'net.jsonl');
  const ofRecords = ['ranks', 'memory'].map((name): WritingCommand => {
    return { name: `dprof ${name} net.jsonl`, args: [join(bin, 'dprof.js'), name, '-q', records], written: 'file' };
  });
  return [...all.filter((_, i) => names.indexOf(names[i] ?? '') === i), ...ofRecords];
}

function largeInputs(bin: string, folder: string): CommandInputs {
  const inputs = sampleInputs(folder, bin);
  const [trace, database] = [join(folder, 'trace.json.gz'), join(folder, 'net.sqlite.gz')];
  const monitor = join(folder, 'monitor.jsonl');
  const pieces: Buffer[] = [];
  const text = gunzipSync(readFileSync(fromRoot('samples/lenet.pt.trace.json.gz')));
  repeatTrace(traceTemplate(text), COPIES, (piece) => pieces.push(Buffer.from(piece)));
  writeFileSync(trace, gzipSync(Buffer.concat(pieces), { level: 1 }));
  writeFileSync(database, gzipSync(readFileSync(fromRoot('samples/transformer.nsys.sqlite'))));
  writeFileSync(monitor, readFileSync(inputs.monitor, 'utf8').repeat(REPORTS));
  writeRecords('devices', DEVICES, inputs.records);
  const partial = [join(bin, 'dprof.js'), 'partial', '-q', '-o', inputs.part, inputs.records];
  spawnSync(process.execPath, partial, { stdio: 'inherit' });
  return { ...inputs, trace, database, monitor };
}

const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '100' },
    of: { type: 'string', default: '' },
    program: { type: 'string', default: fromRoot('bin') },
  },
});
const points = Number(values.points);
if (!Number.isInteger(points) || points < 1)
  throw new Error(`--points takes a whole number above 0, not ${values.points}`);

const folder = temporaryFolder();

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const known: { readonly command: WritingCommand; readonly whole: Buffer; readonly milliseconds: number }[] = [];
const runOf = ({ stdin, written }: WritingCommand): Run => ({
  ...(stdin === undefined ? {} : { stdin }),
  isJob: written === 'job',
});
for (const command of await commands(values.program, folder)) {
  if (!command.name.startsWith(values.of)) continue;
  const { output, left, milliseconds } = await interruptedRun(command.args, null, 0, null, folder, runOf(command));
  if (output === null || left.length > 0) throw new Error(`${command.name} writes nothing, or leaves ${left.join()}`);
  say(`${command.name}: ${Math.round(milliseconds)} ms without a signal`);
  known.push({ command, whole: output, milliseconds });
}
say('');
say('| signal | runs | ended before it | files left | half outputs | wrong exit codes | longest, ms |');
say('|---|---|---|---|---|---|---|');
const wrong: string[] = [];
for (const [i, signal] of SIGNALS.entries()) {
  const sums = { early: 0, left: 0, half: 0, wrong: 0, latency: 0 };
  for (let point = 0; point < points; point++) {
    const one = known[point % known.length];
    if (one === undefined) continue;
    // Spread over the time of each command, at other points for each signal.
    const part = (point * GOLDEN + i / SIGNALS.length) % 1;
    const ran = await interruptedRun(one.command.args, signal, part * one.milliseconds, one.whole, folder, runOf(one.command)); // prettier-ignore
    if (ran.output !== null) sums.early++;
    sums.left += ran.left.length;
    sums.half += ran.half.length;
    if (ran.wrongEnd !== null) sums.wrong++;
    const isLate = (ran.latencyMs ?? 0) > MOST_LATENCY_MS;
    const faulty = [...ran.left, ...ran.half, ran.wrongEnd ?? '', isLate ? `${Math.round(ran.latencyMs ?? 0)} ms` : ''];
    if (faulty.join('') !== '')
      wrong.push(`${one.command.name}: ${signal} at ${part.toFixed(2)}: ${faulty.filter(Boolean).join(', ')}`);
    sums.latency = Math.max(sums.latency, ran.latencyMs ?? 0);
  }
  say(
    `| ${signal} | ${points} | ${sums.early} | ${sums.left} | ${sums.half} | ${sums.wrong} | ${Math.round(sums.latency)} |`,
  );
}
for (const line of wrong) say(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
