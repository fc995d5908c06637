/**
 * How long dparse takes for replays of a graph, and how much memory: with the capture in the trace, without it, and for
 * the same kernels launched one by one. All are measured in one run, in turn.
 *
 *   npm run build && npm run bench graphs                 1,000 replays of 500 kernels
 *   npm run bench graphs -- --replays 10000               as many as a minute of a server has
 *   npm run bench graphs -- --nodes 50 --runs 3           a smaller graph, the median of three runs
 *   npm run bench graphs -- --dir /big/disk               with the traces there
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built, fromRoot } from './built-tools.js';
import { GRAPH_TRACES, writeGraphTrace } from './graph-trace.js';
import { measure, summary, temporaryFolder, type Usage } from './measure.js';
import { ratio, table } from './report.js';

const { values } = parseArgs({
  options: {
    replays: { type: 'string', default: '1000' },
    nodes: { type: 'string', default: '500' },
    runs: { type: 'string', default: '1' },
    dir: { type: 'string' },
  },
});
const [replays, nodes, runs] = [values.replays, values.nodes, values.runs].map((text) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} is no whole number above 0`);
  return value;
}) as [number, number, number];
if (!built()) throw new Error('dparse is not built: npm run build');
const folder = temporaryFolder(values.dir);

const WHAT = {
  captured: 'replays and their capture',
  replayed: 'replays alone',
  launched: 'launched one by one',
} as const;

const usages = new Map<string, Usage[]>();
const bytes = new Map<string, number>();
for (let run = 0; run < runs; run++) {
  for (const kind of GRAPH_TRACES) {
    const path = join(folder, 'trace.json');
    writeGraphTrace(path, kind, nodes, replays);
    bytes.set(kind, statSync(path).size);
    const command = { program: process.execPath, args: [fromRoot('bin/dparse.js'), '-q', path] };
    usages.set(kind, [...(usages.get(kind) ?? []), await measure(command, join(folder, 'time'))]);
    rmSync(path);
  }
}
const median = (kind: string): Usage => summary(usages.get(kind) ?? []);
const base = median('launched');
const rows = GRAPH_TRACES.map((kind) => {
  const { seconds, peakBytes } = median(kind);
  const peak = peakBytes === null ? 'na' : (peakBytes / 1e6).toFixed(0);
  return [
    ...[WHAT[kind], ((bytes.get(kind) ?? 0) / 1e6).toFixed(0), seconds.toFixed(1), peak],
    ...[ratio(seconds, base.seconds), ratio(peakBytes ?? undefined, base.peakBytes ?? undefined)],
  ];
});
process.stdout.write(`${(nodes * replays).toLocaleString('en-US')} kernels, ${replays} replays of ${nodes}\n`);
process.stdout.write(`${table([['trace', 'MB', 's', 'peak MB', 'time', 'memory'], ...rows])}\n`);
