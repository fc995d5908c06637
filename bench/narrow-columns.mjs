/**
 * What columns save whose cells are as narrow as their numbers allow, against doubles: peak memory and processor time of
 * both with the cells of a profile's kernels, over and over, each in a process of its own, and the ratios.
 *
 *   npm run compile && node bench/narrow-columns.mjs RECORDS.jsonl [KERNELS]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = (module) => import(new URL(`../build/src/${module}.js`, import.meta.url));
const { NarrowColumn, NumericColumn } = await built('containers/numeric-column');
const WAYS = { narrow: () => NarrowColumn.ids(), doubles: () => NumericColumn.floats() };

/** What `Activities` keeps of a kernel in such columns, as records have it. */
const cellsOf = ({ device, stream, pid, corr, graph, grid, block, registers, sharedBytes }) =>
  [device, stream, pid, corr, graph?.node, graph?.id, ...(grid ?? []), ...(block ?? []), registers, sharedBytes].map(
    (cell) => cell ?? NaN,
  );

const [path, kernels = '1000000', way] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node bench/narrow-columns.mjs RECORDS.jsonl [KERNELS]');
if (way === undefined) compare(Number(kernels));
else fill(Number(kernels), WAYS[way]);

function fill(count, column) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const rows = lines.filter((line) => line.startsWith('{"type":"kernel"')).map((line) => cellsOf(JSON.parse(line)));
  const before = process.resourceUsage();
  const columns = Array.from(rows[0], column);
  for (let i = 0; i < count; i++) rows[i % rows.length].forEach((cell, at) => columns[at].push(cell));
  const { maxRSS, userCPUTime } = process.resourceUsage();
  const [peak, seconds] = [(maxRSS - before.maxRSS) / 1024, (userCPUTime - before.userCPUTime) / 1e6];
  process.stdout.write(JSON.stringify({ peak, seconds }));
}

function compare(count) {
  const measured = Object.keys(WAYS).map((each) =>
    JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), path, String(count), each])),
  );
  const [narrow, doubles] = measured;
  const cell = ({ peak, seconds }) => `${peak.toFixed(0)} MB, ${seconds.toFixed(2)} CPU s`;
  const [memory, time] = [doubles.peak / narrow.peak, doubles.seconds / narrow.seconds].map((one) => one.toFixed(2));
  process.stdout.write(
    `narrow ${cell(narrow)}; doubles ${cell(doubles)}; ratio of memory ${memory}, of processor time ${time}\n`,
  );
}
