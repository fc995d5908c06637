/** `dprof summary --vendor-names --instructions -f json`: the vendor's whole JSON, as far as records have it. */
import { expect } from 'chai';
import { FURTHER, realFile, SAMPLED, withFile } from '../parse/readers/neuron/tool-json-files.js';
import { recordsOf } from '../support/profile-records.js';
import { runCli } from '../support/run-cli.js';
import { itEachShared, ROOT } from '../support/shared.js';

type Row = Readonly<Record<string, unknown>>;

const OPTIONS = ['summary', '-q', '--vendor-names', '--instructions', '-f', 'json'];

/** Tables of what is printed, with long integers as texts. */
async function tablesOf(path: string): Promise<{ text: string; instruction: Row[]; summary: Row[] }> {
  const { stdout, code } = await runCli('dprof', [...OPTIONS, path]);
  expect(code).to.equal(0);
  const exact = stdout.replace(/(?<=[:[,])\d{16,}(?=[,}\]])/g, '"$&"');
  return { text: stdout, ...(JSON.parse(exact) as { instruction: Row[]; summary: Row[] }) };
}

/** Cells that a row of ours has, out of the tool's. */
const shared = (ours: Row, theirs: Row): Row =>
  Object.fromEntries(Object.keys(ours).flatMap((key) => (key in theirs ? [[key, theirs[key]]] : [])));

const keyOf = (row: Row): string => [row['subgraph'], row['subgroup'], row['timestamp'], row['pc']].join();

describe('dprof summary --instructions', () => {
  itEachShared(
    SAMPLED,
    FURTHER,
    (capture) => `${capture}: the rows are the tool's own`,
    async (json) => {
      const path = json.replace(/_profile_full\.json(?:\.gz)?$/, '.ntff');
      const { exact } = realFile(json);
      const theirs = new Map((exact['instruction'] ?? []).map((row) => [keyOf(row), row]));
      const { instruction: rows, summary } = await tablesOf(json);
      expect(rows).to.have.length(theirs.size);
      for (const { nc_idx: core, ...row } of rows) {
        expect(core).to.be.within(4, 5);
        const same = theirs.get(keyOf(row)) ?? {};
        expect(row).to.deep.equal(shared(row, same));
        expect(Object.keys(row)).to.include.members(['id', 'opcode', 'duration', 'label', 'crc_out']);
        expect(['predecessors' in row, 'elements' in row]).to.deep.equal(['predecessors' in same, 'elements' in same]);
      }
      expect(summary[0]).to.include({ event_count: exact['summary']?.[0]?.['event_count'] });

      // From the trace: waits are up to a nanosecond off, as the tool rounds them; ids are other ones.
      const kindsOf = ({ predecessors = [] }: Row): unknown[] =>
        (predecessors as readonly Row[]).map(({ type }) => type).toSorted();
      const fromTrace = (await tablesOf(path)).instruction.filter((row) => theirs.has(keyOf(row)));
      expect(fromTrace).to.have.length(theirs.size);
      for (const { nc_idx: core, evt_wait_time: wait, id: _id, ...row } of fromTrace) {
        const same = theirs.get(keyOf(row)) ?? {};
        const { predecessors: _theirs, ...cells } = shared(row, same);
        const { predecessors: _ours, ...own } = row;
        expect(own).to.deep.equal(cells);
        expect(kindsOf(row)).to.deep.equal(kindsOf(same));
        expect(core).to.be.within(4, 5);
        expect(Number(wait)).to.be.closeTo(Number(same['evt_wait_time']), 1);
      }
    },
  );

  it('is read again as the JSON of the tool', async () => {
    const sample = `${ROOT}/samples/attention.neuron.json`;
    const { text } = await tablesOf(sample);
    const times = (path: string): unknown[] =>
      recordsOf(path).flatMap((line) =>
        line.type === 'kernel' ? [[line.name, line.start, line.dur, line.operands]] : [],
      );
    const again = withFile(text, times);
    expect(again).to.have.length.above(50);
    expect(again).to.deep.equal(times(sample));
  });

  it('goes with the JSON of the vendor alone', async () => {
    const { code, stderr } = await runCli('dprof', ['summary', '--instructions', 'x']);
    expect([code, stderr]).to.deep.equal([
      2,
      'dprof: --instructions goes with --vendor-names -f json (and without --check)\n',
    ]);
  });
});
