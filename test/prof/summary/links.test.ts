/** Traffic of collectives by link and ranks, beside the vendor's own tables of the same profile. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readProfile } from '../../../src/parse/profile.js';
import type { CollectiveLine, ProfileLine } from '../../../src/record/record.js';
import { ProfileSummaries } from '../../../src/prof/summary/summaries.js';
import type { MemoryOperations } from '../../../src/prof/summary/summary-data.js';
import { itShared } from '../../support/shared.js';

const linksOf = (records: readonly ProfileLine[]): ReadonlyMap<string, MemoryOperations> => {
  const summaries = new ProfileSummaries();
  for (const record of records) summaries.take(record);
  return new Map(summaries.all[0]?.links.map((link) => [link.kind, link]));
};
const collectivesOf = (records: readonly ProfileLine[]): CollectiveLine[] =>
  records.filter((record) => record.type === 'collective');

interface Traffic {
  /** MB of 10^6 bytes, ms, GB/s */
  readonly megabytes: number;
  readonly ms: number;
  readonly gigabytesPerS: number;
}

/** Theirs are rounded to four decimals, and their times have fractions of a ns for each message. */
function expectTraffic(ours: MemoryOperations | undefined, theirs: Traffic, what: string): void {
  expect((ours?.bytes ?? NaN) / 1e6, what).to.be.closeTo(theirs.megabytes, 1e-9);
  expect((ours?.time ?? NaN) / 1e6, what).to.be.closeTo(theirs.ms, 5e-4);
  expect((ours?.bytesPerS ?? NaN) / 1e9, what).to.be.closeTo(theirs.gigabytesPerS, 1e-3 * theirs.gigabytesPerS);
}

/** Messages of an operation by size, MB and their number and ms: `Size Distribution` of communication.json. */
const sizesOf = ({ transfers = [] }: CollectiveLine, link: string): Map<string, [number, number]> => {
  const sizes = new Map<string, [number, number]>();
  for (const { link: over, bytes, count, dur } of transfers) {
    if (over !== link) continue;
    const [n, ms] = sizes.get(String(bytes / 1e6)) ?? [0, 0];
    sizes.set(String(bytes / 1e6), [n + count, ms + (dur ?? NaN) / 1e6]);
  }
  return sizes;
};

type Sizes = Readonly<Record<string, readonly [number, number]>>;
function expectSizes(operation: CollectiveLine, sizes: Sizes): void {
  const ours = sizesOf(operation, 'HCCS');
  expect([...ours.keys()], operation.name).to.have.members(Object.keys(sizes).map((size) => String(Number(size))));
  for (const [size, [count, ms]] of Object.entries(sizes)) {
    const [n, time] = ours.get(String(Number(size))) ?? [];
    expect(n).to.equal(count);
    expect(time).to.be.closeTo(ms, 1e-4);
  }
}

/** LOCAL of theirs is what stays on the chip. */
const linkOf = (transport: string, pair: string): string =>
  `${transport === 'LOCAL' ? 'ON_CHIP' : transport} ${pair.replace('-', '>')}`;

interface Link {
  readonly 'Transit Size(MB)': number;
  readonly 'Transit Time(ms)': number;
  readonly 'Bandwidth(GB/s)': number;
}
const trafficOf = (link: Link): Traffic => ({
  megabytes: link['Transit Size(MB)'],
  ms: link['Transit Time(ms)'],
  gigabytesPerS: link['Bandwidth(GB/s)'],
});

describe('links against communication.json and communication_matrix.json', () => {
  for (const [folder, file, pairs] of [
    ['text_level1_rank0', 'trace_view.json', 8],
    ['text_level1_rank1', 'trace_view.json', 8],
    ['text_qwen_level2_rank0', 'kernel_details.csv', 0],
  ] as const) {
    itShared(folder, [`data/ascend/${folder}/ASCEND_PROFILER_OUTPUT/${file}`], ([path = '']) => {
      const read = (name: string): unknown => JSON.parse(readFileSync(join(dirname(path), name), 'utf8'));
      type Operation = Readonly<Record<'Communication Bandwidth Info', Record<'HCCS', Link & { 'Size Distribution': Sizes; 'Large Packet Ratio': number }>>>; // prettier-ignore
      const records = [...readProfile(path, { profile: 0 })];
      const operations = new Map(collectivesOf(records).map((one) => [one.name, one]));
      let compared = 0;
      for (const kinds of Object.values(
        read('communication.json') as Record<string, Record<string, Record<string, Operation>>>,
      )) {
        // prettier-ignore
        for (const [key, theirs] of Object.values(kinds).flatMap((all) => Object.entries(all))) {
          const ours = operations.get(key.split('@')[0] ?? '');
          if (ours === undefined) continue;
          const link = theirs['Communication Bandwidth Info'].HCCS;
          expectSizes(ours, link['Size Distribution']);
          const isUsed = link['Transit Size(MB)'] > 0;
          expect(ours.counters?.['HCCS Large Packet Ratio']).to.equal(isUsed ? link['Large Packet Ratio'] : undefined);
          compared++;
        }
      }
      expect(compared).to.equal(operations.size);

      const links = linksOf(records);
      const matrix = read('communication_matrix.json') as Record<string, Record<string, Record<string, Record<string, Link & { 'Transport Type': string }>>>>; // prettier-ignore
      const totals = Object.values(matrix).flatMap((kinds) => Object.values(kinds)).flatMap((all) => Object.entries(all)).filter(([name]) => name.includes('-total@')); // prettier-ignore
      let seen = 0;
      for (const [pair, link] of totals.flatMap(([, all]) => Object.entries(all))) {
        const ours = links.get(linkOf(link['Transport Type'], pair));
        if (pairs === 0) expect(ours).to.equal(undefined);
        else expectTraffic(ours, trafficOf(link), pair);
        if (ours !== undefined) seen++;
      }
      expect(seen).to.equal(pairs);
    });
  }
});

describe('links against analysis.db', () => {
  for (const folder of ['db_level1_rank1', 'db_level2_rank1']) {
    itShared(folder, [`data/ascend/${folder}/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db`], ([path = '']) => {
      const analysis = new Database(join(dirname(path), 'analysis.db'), { readonly: true });
      try {
        const records = [...readProfile(path, { profile: 0 })];
        const sizes = analysis.prepare("SELECT hccl_op_name AS name, json_group_object(package_size, json_array(count, total_duration)) AS sizes FROM CommAnalyzerBandwidth WHERE transport_type = 'HCCS' GROUP BY 1").all() as { name: string; sizes: string }[]; // prettier-ignore
        const theirs = new Map(sizes.map((row) => [row.name, JSON.parse(row.sizes) as Sizes]));
        const operations = collectivesOf(records);
        expect(operations.map(({ name }) => name)).to.have.members([...theirs.keys()]);
        for (const operation of operations) expectSizes(operation, theirs.get(operation.name) ?? {});
        const pairs = analysis.prepare("SELECT src_rank || '-' || dst_rank AS pair, transport_type AS transport, transit_size AS megabytes, transit_time AS ms, bandwidth AS gigabytesPerS FROM CommAnalyzerMatrix WHERE hccl_op_name LIKE '%-total'").all() as (Traffic & { pair: string; transport: string })[]; // prettier-ignore
        expect(pairs).to.have.length(8);
        const links = linksOf(records);
        for (const { pair, transport, ...traffic } of pairs) expectTraffic(links.get(linkOf(transport, pair)), traffic, pair); // prettier-ignore
        expect([...links.keys()]).to.have.members(['HCCS', 'ON_CHIP', ...pairs.map(({ pair, transport }) => linkOf(transport, pair))]); // prettier-ignore
      } finally {
        analysis.close();
      }
    });
  }
});
