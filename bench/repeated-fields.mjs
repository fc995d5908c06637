/**
 * What sharing the fields of kernels that repeat from line to line (src/prof/input/record-validation.ts) saves: CPU time of
 * reading records and deriving the FLOPs of each kernel, without and with it, in turns, in one process.
 *
 *   npm run compile && node bench/repeated-fields.mjs RECORDS.jsonl [RUNS]
 */
const built = (module) => import(new URL(`../build/src/prof/${module}.js`, import.meta.url));
const { openFile } = await built('input/lines');
const { readRecords } = await built('input/records');
const { RepeatedFieldParser } = await built('input/record-validation');
const { Annotator } = await built('report/report');

const [path, runs = '5'] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node bench/repeated-fields.mjs RECORDS.jsonl [RUNS]');

const WAYS = { without: (text) => JSON.parse(text), with: RepeatedFieldParser.prototype.parse };

/** @returns ms of CPU time */
async function measure(parse) {
  RepeatedFieldParser.prototype.parse = parse;
  const before = process.cpuUsage();
  const annotator = new Annotator();
  for await (const records of readRecords(await openFile(path)))
    for (const record of records) for (const row of annotator.take(record)) void row.flops;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const times = { without: [], with: [] };
for (const way of Object.keys(WAYS)) await measure(WAYS[way]);
for (let run = 0; run < Number(runs); run++) {
  for (const way of Object.keys(WAYS)) times[way].push(await measure(WAYS[way]));
}
const [without, shared] = [median(times.without), median(times.with)];
process.stdout.write(
  `without ${without.toFixed(0)} ms, with ${shared.toFixed(0)} ms: ${(without / shared).toFixed(2)} times\n`,
);
