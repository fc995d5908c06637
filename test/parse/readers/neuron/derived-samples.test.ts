/** Samples that follow from packets and instructions of a device trace, against the tables of the vendor's JSON. */
import { expect } from 'chai';
import type { ProfileLine, SampleRecord } from '../../../../src/record/record.js';
import { readProfile } from '../../../../src/parse/profile.js';
import { DerivedSamples } from '../../../../src/parse/readers/neuron/ntff/derived-samples.js';
import { itShared } from '../../../support/shared.js';
import { instruction, packet } from '../../../support/neuron.js';
import { CAPTURES, ofType, realFile, type Table } from './tool-json-files.js';

const DERIVED = new Set(['dma_transfer_rate', 'pending_dma', 'tensor_engine_active']);

const shownAmong = (lines: readonly ProfileLine[], hasUnknownSections = false): string[] => {
  const derived = new DerivedSamples(0, { leavesOut: ({ queue }) => queue === 9, hasUnknownSections });
  return [...derived.among(lines)].map((line) =>
    line.type === 'sample'
      ? `${line.start} ${line.metric} ${line.value} ${line.labels?.['totalBytes'] ?? ''}`.trim()
      : `${'start' in line ? line.start : ''} ${line.type}`,
  );
};

describe('samples derived from a device trace', () => {
  it('have the sum of the rates of the packets under way, at least 10 ns apart, before what starts later', () => {
    const packets = [
      // 100 bytes in 100 ns are 1e9 bytes/s.
      packet('data', 0, 100, 100),
      packet('data', 50, 50, 100, { stream: 65 }),
      packet('data', 55, 10, 10, { stream: 66 }),
      packet('data', 60, 10, 10, { queue: 9 }),
    ];
    expect(shownAmong([...packets, instruction('COPY', 'Scalar', 200, 1)])).to.deep.equal([
      ...['0 copy', '0 dma_transfer_rate 1000000000 100', '50 copy', '50 dma_transfer_rate 3000000000 200'],
      // What starts at 55 is too near to 50: its bytes are in the next one, at its end.
      ...['55 copy', '60 copy', '65 dma_transfer_rate 3000000000 210', '100 dma_transfer_rate 0 210', '200 kernel'],
    ]);
  });

  it('count transfers that start, unless their ends may be recorded', () => {
    const transfers = [10, 20].map((start) => instruction('DMA_DIRECT2D', 'Sync', start, 5));
    expect(shownAmong(transfers)).to.deep.equal(['10 kernel', '10 pending_dma 1', '20 kernel', '20 pending_dma 2']);
    expect(shownAmong(transfers, true)).to.deep.equal(['10 kernel', '20 kernel']);
  });

  it('say when the tensor engine works, waits left out', () => {
    const lines = [
      ['MATMUL', 10],
      ['LDWEIGHTS', 15],
      ['EVENT_SEMAPHORE', 30],
      ['MATMUL', 40],
    ] as const;
    const found = shownAmong(lines.map(([name, start]) => instruction(name, 'Tensor', start, 10)));
    expect(found.filter((text) => !text.endsWith('kernel'))).to.deep.equal([
      ...['10 tensor_engine_active 1', '25 tensor_engine_active 0'],
      ...['40 tensor_engine_active 1', '50 tensor_engine_active 0'],
    ]);
  });

  for (const capture of CAPTURES) {
    const trace = capture.replace(/_profile_full\.json(?:\.gz)?$/, '.ntff');
    itShared(`${trace}: every row of the vendor's tables`, [capture, trace], ([json = '', path = '']) => {
      const { tables } = realFile(json);
      const lines = [...readProfile(path, { profile: 0, derived: true })];
      const samples = ofType(lines, 'sample');
      const cores = new Map((tables['model_info'] ?? []).map((row) => [row['sg_name'], row['nc_idx']]));
      const of = (metric: string): SampleRecord[] => samples.filter((sample) => sample.metric === metric);
      const rows = (table: string): Table =>
        (tables[table] ?? []).toSorted((a, b) => Number(a['timestamp']) - Number(b['timestamp']));
      const perCore = (core: unknown, found: readonly SampleRecord[]): SampleRecord[] =>
        found.filter(({ device }) => device === core);

      for (const [subgraph, core] of cores) {
        const rates = perCore(core, of('dma_transfer_rate'));
        const stated = rows('dma_throughput').filter((row) => row['subgraph'] === subgraph);
        expect(rates.map(({ start, labels }) => [start, labels?.['totalBytes']])).to.deep.equal(
          stated.map((row) => [row['timestamp'], row['total_transfer_bytes']]),
        );
        for (const [i, row] of stated.entries()) {
          const rate = Number(row['transfer_rate']);
          // The tool writes 8 digits, and the rest of its sums of floats.
          expect(rates[i]?.value).to.be.closeTo(rate, 1e-6 * Math.max(rate, 1e9));
        }
        expect(perCore(core, of('pending_dma')).map(({ start, value }) => [start, value])).to.deep.equal(
          rows('pending_dma').flatMap((row) =>
            row['subgraph'] === subgraph ? [[row['timestamp'], row['value']]] : [],
          ),
        );
        const active = (tables['active_time'] ?? []).filter(
          (row) => row['subgraph'] === subgraph && row['engine'] === 'tensor',
        );
        expect(perCore(core, of('tensor_engine_active')).map(({ start, value }) => [start, value])).to.deep.equal(
          active
            .toSorted((a, b) => Number(a['start_ts']) - Number(b['start_ts']))
            .flatMap((row) => [[row['start_ts'], 1], [row['end_ts'], 0]]), // prettier-ignore
        );
      }
      // Without them the records are as ever, and the end line counts all.
      const plain = [...readProfile(path, { profile: 0 })].slice(0, -1);
      expect(lines.slice(0, -1).filter((line) => line.type !== 'sample' || !DERIVED.has(line.metric))).to.deep.equal(
        plain,
      );
      const [end] = ofType(lines, 'end');
      expect(end?.counts['sample']).to.equal(samples.length);
    });
  }
});
